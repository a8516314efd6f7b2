"""What scikit-learn says of the classes of rows: reads a question as JSON, prints the answers.

x, class: rows with labels, for each share of the labels. test: rows to say the classes of.
subset: how many of the labelled rows the Gaussian process is learnt from.
"""

import json
import platform
import sys
import warnings

import numpy as np
import sklearn
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler


def probabilities(model, x, y, test, classes):
    """Those of all classes: a class that no row has gets none."""
    out = np.zeros((len(test), classes))
    present = np.unique(y)
    if len(present) == 1:
        out[:, present[0]] = 1
        return out
    model.fit(x, y)
    out[:, model.classes_] = model.predict_proba(test)
    return out


def few_steps(value, start, bounds):
    """The kernel's parameters by L-BFGS, as by default, but no more than ten steps of it."""
    found = minimize(value, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 10})
    return found.x, found.fun


def answer(q):
    classes, test = q["classes"], np.array(q["test"])
    for share in q["shares"]:
        x, y = np.array(share["x"]), np.array(share["class"])
        scale = StandardScaler().fit(x)
        x, t = scale.transform(x), scale.transform(test)
        n = min(len(y), q["subset"])
        yield {
            "logistic": probabilities(LogisticRegression(max_iter=2000), x, y, t, classes).tolist(),
            "process": probabilities(
                GaussianProcessClassifier(ConstantKernel(4.0) * RBF(2.0), optimizer=few_steps, random_state=0),
                x[:n],
                y[:n],
                t,
                classes,
            ).tolist(),
        }


warnings.simplefilter("ignore")
answers = list(answer(json.load(sys.stdin)))
json.dump({"sklearn": sklearn.__version__, "python": platform.python_version(), "shares": answers}, sys.stdout)
