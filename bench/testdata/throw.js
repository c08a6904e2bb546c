// expect: "TypeError: row 3 has no price"
(() => {
  const price = (row) => {
    if (row.price === undefined) throw new TypeError("row " + row.id + " has no price");
    return row.price;
  };
  const total = (rows) => rows.reduce((sum, row) => sum + price(row), 0);
  return total([{ id: 1, price: 2 }, { id: 2, price: 3 }, { id: 3 }]);
})()
