"""`Corpus`, the object that people hold: documents with ids and metadata, and one method for each question."""
