"""Stands in for NLTK, whose corpus cannot be downloaded here: nouns of the larger data set "glosses"."""


def download(name):
    assert name == "wordnet", name
