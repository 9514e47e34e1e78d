"""The scikit-learn estimators: each validates its input, calls the functions of other folders and stores the result."""
