"""Text → counts → statistics: the first two steps of the road that data takes."""
