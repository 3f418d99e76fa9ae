/**
 * The page's script: the table of all accounts, and one account's day. It is text, for the page's policy names its digest. It
 * makes elements and sets their text, and never markup, so an id stays text.
 */
export const pageScript = `
'use strict';
(function () {
  var data = JSON.parse(document.getElementById('data').textContent);
  var rows = data.accounts.map(function (a) {
    var before = a[13];
    return {
      id: a[0], lower: a[0].toLowerCase(), zone: data.zones[a[1]], day: data.days[a[2]], limit: a[3], used: a[4],
      granted: a[5], rejected: a[6], rejectedCost: a[7], observed: a[8], observedCost: a[9], bookings: a[10],
      p50: a[11], p95: a[12], before: before, share: a[3] ? a[4] / a[3] : null,
      change: before && before[0] ? a[4] / before[0] - 1 : null,
      reasons: a[14], firstRefusal: a[15], limits: a[16] || [], byReason: a[17], isObserved: a[18] === 1,
      quarantined: a[19], deadLetters: a[20], backlog: a[21], books: a[22], hours: a[23]
    };
  });
  var pageRows = 50, page = 0, key = 'id', direction = 1, found = rows;
  var columns = [];
  var table = document.getElementById('accounts-table');
  var body = table.tBodies[0];
  var search = document.getElementById('search');
  var show = document.getElementById('show');

  function el(name, className, text) {
    var element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function figure(value) { return value === null ? '–' : String(value).replace(/\\B(?=(\\d{3})+$)/g, ','); }
  function percent(share) {
    if (share === null) return '–';
    var value = share * 100;
    return (Math.abs(value) >= 99.95 || value === 0 ? figure(Math.round(value)) : value.toFixed(1)) + '\\u00a0%';
  }
  function signed(share) { return share === null ? '–' : (share > 0 ? '+' : share < 0 ? '−' : '') + percent(Math.abs(share)); }
  function duration(ms) {
    if (ms === null) return '–';
    if (ms < 1000) return ms + '\\u00a0ms';
    if (ms < 59950) return (ms / 1000).toFixed(1) + '\\u00a0s';
    var s = Math.round(ms / 1000), h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
    var parts = h > 0 ? [[h, 'h'], [m, 'min']] : [[m, 'min'], [s % 60, 's']];
    return parts.filter(function (part) { return part[0] > 0; }).map(function (part) { return part.join('\\u00a0'); }).join(' ');
  }
  function instant(seconds) { return new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19) + ' UTC'; }

  function compare(a, b) {
    var x = a[key], y = b[key];
    if (x === null || y === null) return x === y ? tie(a, b) : x === null ? 1 : -1;
    return x < y ? -direction : x > y ? direction : tie(a, b);
  }
  function tie(a, b) { return a.id < b.id ? -1 : a.id > b.id ? 1 : a.zone < b.zone ? -1 : 1; }
  function isShown(row) {
    switch (show.value) {
      case 'attention': return row.reasons.length > 0;
      case 'refused': return row.rejected > 0;
      case 'active': return row.bookings > 0;
      default: return true;
    }
  }
  function find() {
    var text = search.value.trim().toLowerCase();
    found = rows.filter(function (row) { return row.lower.indexOf(text) >= 0 && isShown(row); }).sort(compare);
    page = 0;
    draw();
  }

  var cells = {
    zone: function (row) { return row.zone; },
    used: function (row) { return figure(row.used); },
    limit: function (row) { return figure(row.limit); },
    share: function (row) { return percent(row.share); },
    granted: function (row) { return figure(row.granted); },
    rejected: function (row) { return figure(row.rejected); },
    observed: function (row) { return figure(row.observed); },
    bookings: function (row) { return figure(row.bookings); },
    p95: function (row) { return duration(row.p95); },
    change: function (row) { return signed(row.change); }
  };
  function draw() {
    var pages = Math.max(1, Math.ceil(found.length / pageRows));
    var part = document.createDocumentFragment();
    found.slice(page * pageRows, (page + 1) * pageRows).forEach(function (row) {
      var line = el('tr'), name = el('th', 'id'), open = el('button', 'open', row.id);
      name.scope = 'row';
      open.type = 'button';
      open.addEventListener('click', function () {
        history.replaceState(null, '', linkTo(row));
        choose(row);
      });
      name.append(open);
      line.append(name);
      columns.slice(1).forEach(function (column) {
        line.append(el('td', column === 'zone' ? 'muted' : 'n', cells[column](row)));
      });
      part.append(line);
    });
    body.replaceChildren(part);
    document.getElementById('previous').setAttribute('aria-disabled', String(page === 0));
    document.getElementById('next').setAttribute('aria-disabled', String(page >= pages - 1));
    document.getElementById('accounts-status').textContent = found.length === 0 ? 'No account is found' :
      figure(found.length) + (found.length === 1 ? ' account' : ' accounts') + ', page ' + figure(page + 1) + ' of ' + figure(pages);
  }

  Array.prototype.forEach.call(table.querySelectorAll('th button'), function (button) {
    columns.push(button.dataset.key);
    button.addEventListener('click', function () {
      var isSame = key === button.dataset.key;
      key = button.dataset.key;
      direction = isSame ? -direction : key === 'id' || key === 'zone' ? 1 : -1;
      Array.prototype.forEach.call(table.tHead.rows[0].cells, function (cell) { cell.removeAttribute('aria-sort'); });
      button.parentElement.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
      find();
    });
  });
  search.addEventListener('input', find);
  show.addEventListener('change', find);
  document.getElementById('previous').addEventListener('click', function () { turn(-1); });
  document.getElementById('next').addEventListener('click', function () { turn(1); });
  // A button at the end is not disabled: it would drop the focus.
  function turn(by) {
    if (page + by < 0 || (page + by) * pageRows >= found.length) return;
    page += by;
    draw();
    table.parentElement.scrollIntoView({ block: 'nearest' });
  }

  function tableOf(caption, heads, lines) {
    var frame = el('div', 'scroll'), made = el('table'), head = el('tr');
    frame.tabIndex = 0;
    frame.setAttribute('role', 'group');
    frame.setAttribute('aria-label', caption);
    made.append(el('caption', '', caption));
    heads.forEach(function (text, at) {
      var th = el('th', at > 0 ? 'n' : '', text === 'Bar' ? undefined : text);
      if (text === 'Bar') th.append(el('span', 'unseen', text));
      th.scope = 'col';
      head.append(th);
    });
    made.createTHead().append(head);
    var inside = made.createTBody();
    lines.forEach(function (line) {
      var tr = el('tr');
      line.forEach(function (cell, at) {
        var made = at === 0 ? el('th', '', cell) : el('td', 'n');
        if (at === 0) made.scope = 'row';
        else if (cell instanceof Element) { made.className = 'chart'; made.append(cell); }
        else made.textContent = cell;
        tr.append(made);
      });
      inside.append(tr);
    });
    frame.append(made);
    return frame;
  }
  function bar(value, most, kind) {
    var ns = 'http://www.w3.org/2000/svg', svg = document.createElementNS(ns, 'svg'), rect = document.createElementNS(ns, 'rect');
    svg.setAttribute('class', 'bar');
    svg.setAttribute('viewBox', '0 0 100 10');
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('aria-hidden', 'true');
    rect.setAttribute('class', 'fill ' + (kind || ''));
    rect.setAttribute('width', most > 0 ? (100 * value / most).toFixed(2) : '0');
    rect.setAttribute('height', '10');
    svg.append(rect);
    return svg;
  }
  function list(pairs) {
    var made = el('dl', 'list');
    pairs.forEach(function (pair) { made.append(el('dt', '', pair[0]), el('dd', '', pair[1])); });
    return made;
  }
  function hoursTable(row) {
    if (!row.hours) return el('p', 'note', 'The hours of this account are in report.json.');
    if (row.hours.length === 0) return el('p', 'note', 'Nothing was accepted on this day.');
    var lines = [], most = 0;
    for (var i = 0; i < row.hours.length; i += 3) most = Math.max(most, row.hours[i + 1], row.hours[i + 2]);
    for (var j = 0; j < row.hours.length; j += 3) {
      lines.push([row.day.hours[row.hours[j]], bar(row.hours[j + 1], most), figure(row.hours[j + 1]), figure(row.hours[j + 2])]);
    }
    return tableOf('Cost by hour of the account’s day', ['Hour', 'Bar', 'Granted cost', 'Refused cost'], lines);
  }
  function reasonsTable(row) {
    if (!row.byReason) return el('p', 'note', 'Nothing was refused.');
    var lines = [];
    row.byReason.forEach(function (pair, at) {
      if (pair[0]) lines.push([data.reasons[at], figure(pair[0][0]), figure(pair[0][1])]);
      if (pair[1]) lines.push([data.reasons[at] + ' (observed, granted)', figure(pair[1][0]), figure(pair[1][1])]);
    });
    return tableOf('Refusals by reason', ['Reason', 'Reservations', 'Cost'], lines);
  }
  function peakOf(row) {
    if (!row.hours) return 'in report.json';
    var at = -1;
    for (var i = 0; i < row.hours.length; i += 3) if (row.hours[i + 1] > (at < 0 ? 0 : row.hours[at + 1])) at = i;
    return at < 0 ? 'nothing was granted' : row.day.hours[row.hours[at]] + ', cost ' + figure(row.hours[at + 1]);
  }
  var title = document.getElementById('account-title'), live = document.getElementById('account-live');
  var none = document.getElementById('account-none');
  function choose(row) {
    document.getElementById('account').className = '';
    title.textContent = row.id;
    title.className = 'id';
    none.hidden = true;
    var left = el('div'), right = el('div'), columns = el('div', 'columns'), print = el('button', 'screen', 'Print this account');
    left.append(list([
      ['Day', data.date + ', ' + row.zone],
      ['Report', data.report],
      ['From, to', row.day.startsAt.replace('T', ' ').slice(0, 16) + ' to ' + row.day.resetsAt.replace('T', ' ').slice(0, 16) + ' UTC'],
      ['Used of the limit', figure(row.used) + ' of ' + figure(row.limit) + (row.share === null ? '' : ', ' + percent(row.share))],
      ['Granted', figure(row.granted) + (row.granted === 1 ? ' reservation' : ' reservations')],
      ['Refused', figure(row.rejected) + ', cost ' + figure(row.rejectedCost)],
      ['Observed', row.isObserved || row.observed ? figure(row.observed) + ', cost ' + figure(row.observedCost) : 'not in observe mode'],
      ['Bookings', figure(row.bookings)],
      ['Peak hour', peakOf(row)],
      ['First refusal', row.firstRefusal ? instant(row.firstRefusal) : 'none'],
      ['Median, 95th percentile', duration(row.p50) + ', ' + duration(row.p95)],
      ['A week before', row.before ? 'used ' + figure(row.before[0]) + ', granted ' + figure(row.before[1]) + ', refused ' + figure(row.before[2]) : 'no report'],
      ['Quarantined messages', figure(row.quarantined)],
      ['Dead letters', row.deadLetters === null ? 'not looked at' : figure(row.deadLetters)],
      ['Hand-off backlog', row.backlog ? 'cost ' + figure(row.backlog[0]) + ', at ' + instant(row.backlog[1]) : 'not looked at'],
      ['Reconciliation', data.books[row.books]],
      ['Attention', row.reasons.length ? row.reasons.map(function (one) { return data.attention[one]; }).join(', ') : 'none']
    ]));
    if (row.limits.length > 1) {
      left.append(tableOf(row.limits.length === 100 ? 'The first 100 limits of the day' : 'Limits during the day', ['From', 'Limit'], row.limits.map(function (one) { return [instant(one[0]), figure(one[1])]; })));
    }
    right.append(hoursTable(row), reasonsTable(row));
    columns.append(left, right);
    print.type = 'button';
    print.addEventListener('click', function () {
      document.body.classList.add('print-account');
      window.print();
    });
    live.replaceChildren(columns, print);
    goToAccount();
  }
  function goToAccount() {
    title.focus();
    title.scrollIntoView({ block: 'start' });
  }
  // On paper nothing can be opened.
  var closed = [];
  window.addEventListener('beforeprint', function () {
    closed = Array.prototype.slice.call(document.querySelectorAll('details:not([open])'));
    closed.forEach(function (one) { one.open = true; });
  });
  window.addEventListener('afterprint', function () {
    document.body.classList.remove('print-account');
    closed.forEach(function (one) { one.open = false; });
  });

  function linkTo(row) { return '#account=' + encodeURIComponent(row.id.toWellFormed()) + '&zone=' + encodeURIComponent(row.zone); }
  function decoded(text) {
    try { return decodeURIComponent(text); } catch (ignored) { return text; }
  }
  function chooseNamed() {
    var named = /^#account=([^&]*)(?:&zone=(.*))?$/.exec(location.hash);
    if (!named) return;
    var id = decoded(named[1]), zone = named[2] && decoded(named[2]);
    var row = rows.find(function (one) { return one.id.toWellFormed() === id && (!zone || one.zone === zone); });
    if (row) return choose(row);
    document.getElementById('account').className = 'screen';
    title.textContent = 'One account';
    live.replaceChildren();
    none.hidden = false;
    none.textContent = 'This page has no account “' + id + '”' + (zone ? ' in ' + zone : '') + '. All accounts are in report.json.';
    goToAccount();
  }
  window.addEventListener('hashchange', chooseNamed);
  // A link that is followed again changes no address.
  document.addEventListener('click', function (event) {
    var link = event.target.closest('a');
    if (link && link.hash === location.hash) chooseNamed();
  });
  document.getElementById('account').hidden = false;
  document.getElementById('accounts-still').hidden = true;
  document.getElementById('accounts-live').hidden = false;
  find();
  chooseNamed();
})();
`;
