(function () {
  "use strict";
  var root = document.documentElement;
  var themes = ["auto", "light", "dark"];
  var button = document.getElementById("theme");
  function show(theme) {
    if (theme === "auto") { root.removeAttribute("data-theme"); } else { root.setAttribute("data-theme", theme); }
    button.textContent = "theme: " + theme;
  }
  var now = 0;
  button.hidden = false;
  button.addEventListener("click", function () {
    now = (now + 1) % themes.length;
    show(themes[now]);
  });

  // A cell sorts by its first number, and by its text when it has none.
  function key(row, column) {
    var text = row.cells[column].firstChild ? row.cells[column].firstChild.textContent : "";
    var number = parseFloat(text.replace(/,/g, "").replace(/^[^0-9+\-.]*/, ""));
    return { text: text, number: number };
  }
  function compare(column, sign) {
    return function (a, b) {
      var x = key(a, column), y = key(b, column);
      var xn = isNaN(x.number), yn = isNaN(y.number);
      if (!xn && !yn && x.number !== y.number) { return sign * (x.number - y.number); }
      if (xn !== yn) { return xn ? 1 : -1; }
      return sign * x.text.localeCompare(y.text);
    };
  }
  function sortable(table) {
    var body = table.tBodies[0];
    if (!body || body.rows.length < 3) { return; }
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
      if (head.querySelector("svg")) { return; }
      var b = document.createElement("button");
      b.type = "button";
      b.title = "sort";
      b.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(b);
      b.addEventListener("click", function () {
        var up = head.getAttribute("aria-sort") !== "ascending";
        Array.prototype.forEach.call(table.tHead.rows[0].cells, function (h) { h.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        Array.prototype.slice.call(body.rows).sort(compare(column, up ? 1 : -1)).forEach(function (r) { body.appendChild(r); });
      });
    });
  }
  Array.prototype.forEach.call(document.querySelectorAll("table.sortable"), sortable);
})();
