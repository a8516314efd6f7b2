"""Writes the small files of the folder given (strangers/ beside this script): tables and
arrays as pandas, polars, pyarrow, numpy, openpyxl and spreadsheets write them.

    python3 strangers.py strangers
"""
import os, sys
import numpy as np, pandas as pd, polars as pl, pyarrow as pa, pyarrow.parquet as pq

os.chdir(sys.argv[1])
flats = pd.DataFrame({
    "city": ["Ulm", "Köln", "Rom"], "area": [20.5, 57.25, -1.0], "rooms": [1, 3, 2], "new": [True, False, True],
})

# Text.
flats.to_csv("pandas.csv")
flats.to_csv("pandas-noindex.csv", index=False)
flats.to_csv("pandas-german.csv", sep=";", decimal=",", index=False, lineterminator="\r\n")
flats.to_csv("pandas-latin1.csv", index=False, encoding="latin1")
flats.to_csv("pandas-utf16.csv", index=False, encoding="utf-16")
flats.to_csv("pandas-utf8-bom.csv", index=False, encoding="utf-8-sig")
flats.assign(area=[20.5, None, -1.0]).to_csv("pandas-na.csv", index=False, na_rep="NA")
for kind in ["gz", "bz2", "xz"]:
    options = {"method": "gzip", "mtime": 1} if kind == "gz" else "infer"
    flats.to_csv(f"pandas.csv.{kind}", index=False, compression=options)
for kind, codec in [("zst", "zstd"), ("lz4", "lz4")]:
    with pa.output_stream(f"pandas.csv.{kind}", compression=codec) as f:
        f.write(flats.to_csv(index=False).encode())
pd.DataFrame(np.arange(6).reshape(3, 2) / 4).to_csv("pandas-unnamed.csv")
pl.from_pandas(flats).write_csv("polars.tsv", separator="\t", null_value="null")
with open("excel.csv", "wb") as f:
    f.write("sep=;\r\ncity;area;note\r\nUlm;20,5;\"two\r\nlines; quoted\"\r\nKöln;57,25;\"says \"\"no\"\"\"\r\n".encode("cp1252"))
with open("r-csv2.csv", "w") as f:
    f.write('"";"area";"rooms"\n"1";20,5;1\n"2";NA;3\n"3";1e-05;2\n')
flats.to_json("pandas.json", orient="records")
flats.to_json("pandas.jsonl", orient="records", lines=True)
flats.to_excel("openpyxl.xlsx", index=False)
flats.to_pickle("pandas.pkl")

# Parquet.
flats.set_index(pd.Index([7, 9, 4])).to_parquet("pandas-index.parquet")
flats.iloc[:0].to_parquet("pandas-empty.parquet")
pl.from_pandas(flats).write_parquet("polars.parquet")
plain = pa.Table.from_pandas(flats, preserve_index=False)
pq.write_table(plain, "pyarrow-lz4.parquet", compression="lz4")
pq.write_table(plain, "pyarrow-lz4-v2.parquet", compression="lz4", data_page_version="2.0", use_dictionary=False)

# Arrays.
x = np.arange(6, dtype="<f4").reshape(3, 2) / 4
np.save("order-c.npy", x)
np.save("order-f.npy", np.asfortranarray(x))
np.save("order-f3.npy", np.asfortranarray(np.arange(12, dtype="<i2").reshape(2, 3, 2)))
np.save("big.npy", x.astype(">f8"))
np.save("half.npy", x.astype("<f2"))
np.save("bool.npy", x > 0.5)
np.save("empty.npy", x[:0])
np.save("texts.npy", np.array(["Ulm", "Köln", ""]))
np.save("texts-big.npy", np.array(["Ulm", "Köln"]).astype(">U4"))
np.save("bytes.npy", np.array([b"Ulm", b"Rom"]))
np.save("bytes-latin1.npy", np.array(["Köln".encode("latin1")]))
np.save("objects.npy", np.array(["Ulm", None], dtype=object))
np.savez("one.npz", x)
np.savez_compressed("many.npz", x=np.asfortranarray(x), y=np.array(["a", "b", "a"]))
