// Searches the sections of search-index.js: [address, title of the page, heading, text]. Every word must occur; a heading counts
// more than the text.
'use strict'
const query = document.getElementById('query')
const results = document.getElementById('results')
const most = 30

function rank([, title, heading, text], words) {
  const [inTitle, inHeading, inText] = [title, heading, text].map(part => part.toLowerCase())
  if (!words.every(word => inTitle.includes(word) || inText.includes(word))) return 0
  return words.reduce((sum, word) => sum + (inHeading.includes(word) ? 8 : 0) + (inTitle.includes(word) ? 3 : 0) + 1, 0)
}

// The text around the first word.
function excerpt(text, word) {
  const start = Math.max(0, text.toLowerCase().indexOf(word) - 60)
  return (start > 0 ? '…' : '') + text.slice(start, start + 180) + (start + 180 < text.length ? '…' : '')
}

function item([address, title, heading, text], words) {
  const link = Object.assign(document.createElement('a'), { href: document.body.dataset.root + '/' + address })
  link.textContent = heading === title ? title : title + ': ' + heading
  const place = document.createElement('li')
  place.append(link, Object.assign(document.createElement('span'), { textContent: excerpt(text, words[0]) }))
  return place
}

function search() {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean)
  const found = words.length === 0 ? [] : sections.map(section => [rank(section, words), section])
    .filter(([value]) => value > 0).sort(([one], [other]) => other - one).slice(0, most)
  results.replaceChildren(...found.map(([, section]) => item(section, words)))
  results.hidden = words.length === 0
  if (words.length > 0 && found.length === 0) results.textContent = 'Nothing contains all of these words.'
}

query.addEventListener('input', search)
