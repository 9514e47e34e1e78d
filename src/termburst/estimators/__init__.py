"""The scikit-learn faces: validate, call, store."""
