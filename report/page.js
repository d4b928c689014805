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

  // Read-out: the marks nearest to the pointer, one of each arm, named in one fixed line under
  // the plot. The arrow keys walk the same marks.
  function marksOf(svg) {
    return Array.prototype.map.call(svg.querySelectorAll(".m > title"), function (title) {
      var box = title.parentNode.getBBox();
      return { node: title.parentNode, x: box.x + box.width / 2, text: title.textContent, arm: title.parentNode.getAttribute("class") };
    }).sort(function (a, b) { return a.x - b.x; });
  }
  function readable(plot) {
    var svg = plot.querySelector("svg");
    var marks = marksOf(svg);
    if (!marks.length) { return; }
    var line = document.createElement("div");
    line.className = "readout";
    line.setAttribute("aria-live", "polite");
    plot.parentNode.insertBefore(line, plot.nextSibling);
    var stops = [];
    marks.forEach(function (m) { if (!stops.length || m.x - stops[stops.length - 1] > 1) { stops.push(m.x); } });
    var at = -1;
    function show(x) {
      var best = {};
      marks.forEach(function (m) {
        if (!best[m.arm] || Math.abs(m.x - x) < Math.abs(best[m.arm].x - x)) { best[m.arm] = m; }
      });
      var texts = [];
      marks.forEach(function (m) {
        var on = best[m.arm] === m;
        m.node.classList.toggle("on", on);
        if (on) { texts.push(m.text); }
      });
      line.textContent = texts.join("   ");
    }
    function clear() {
      marks.forEach(function (m) { m.node.classList.remove("on"); });
      line.textContent = "";
    }
    svg.addEventListener("pointermove", function (e) {
      var box = svg.getBoundingClientRect();
      show((e.clientX - box.left) * svg.viewBox.baseVal.width / box.width);
    });
    svg.addEventListener("pointerleave", clear);
    plot.addEventListener("blur", clear);
    plot.addEventListener("keydown", function (e) {
      var step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (!step) { return; }
      e.preventDefault();
      at = Math.min(Math.max(at + step, 0), stops.length - 1);
      show(stops[at]);
    });
  }
  Array.prototype.forEach.call(document.querySelectorAll(".plot"), readable);
})();
