import { searchOf } from './search.js'

const LANGUAGES = { sh: 'Shell', ts: 'TypeScript', python: 'Python', go: 'Go' }
const CHOSEN = 'language'

const field = document.getElementById('search')
const results = document.querySelector('.results')
const menu = document.querySelector('.sidebar details')

let search
async function loadSearch() {
  const response = await fetch('/docs/search.json')
  if (!response.ok) throw new Error(`The search could not be loaded: ${response.status}`)
  return searchOf(await response.json())
}

async function showResults() {
  search ??= loadSearch()
  const found = (await search)(field.value)
  results.replaceChildren(...found.map(resultOf))
  if (found.length === 0) results.append(element('li', { textContent: 'Nothing was found.', className: 'none' }))
  results.hidden = field.value.trim() === ''
}

const element = (name, properties) => Object.assign(document.createElement(name), properties)

function resultOf({ title, of, url }) {
  const link = element('a', { href: url })
  link.append(element('span', { textContent: title }), element('small', { textContent: of }))
  link.addEventListener('click', close)
  const item = element('li', {})
  item.append(link)
  return item
}

function close() {
  results.hidden = true
}

field.addEventListener('input', showResults)
field.addEventListener('focus', showResults)
field.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') results.querySelector('a')?.click()
})
document.addEventListener('keydown', (event) => {
  const links = [field, ...results.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement)
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (event.key === 'Escape') close()
  else if (step && at >= 0 && !results.hidden) {
    event.preventDefault()
    links[Math.min(Math.max(at + step, 0), links.length - 1)].focus()
  } else if (event.key === '/' && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
    event.preventDefault()
    field.focus()
  }
})
document.addEventListener('click', (event) => {
  if (!event.target.closest('search')) close()
})

// On a narrow screen the contents would stand before every guide.
if (menu && matchMedia('(max-width: 60rem)').matches) menu.open = false

/** Shows one language in all samples, and remembers it. A sample without it keeps its own. */
function choose(language) {
  localStorage.setItem(CHOSEN, language)
  for (const samples of document.querySelectorAll('.samples')) {
    const tabs = [...samples.querySelectorAll('[role="tab"]')]
    const shown = tabs.find((tab) => tab.value === language) ?? tabs[0]
    for (const tab of tabs) tab.setAttribute('aria-selected', String(tab === shown))
    for (const block of samples.querySelectorAll('pre')) {
      block.hidden = !block.firstChild.classList.contains(`language-${shown.value}`)
    }
  }
}

for (const samples of document.querySelectorAll('.samples')) {
  const tabs = element('div', { role: 'tablist' })
  for (const code of samples.querySelectorAll('code')) {
    const value = code.className.replace('language-', '')
    const tab = element('button', { type: 'button', role: 'tab', value, textContent: LANGUAGES[value] })
    tab.addEventListener('click', () => choose(value))
    tabs.append(tab)
  }
  samples.prepend(tabs)
}
choose(localStorage.getItem(CHOSEN) ?? 'sh')

for (const block of document.querySelectorAll('.text pre')) {
  if (block.firstChild.classList.contains('language-json')) continue
  const button = element('button', { type: 'button', className: 'copy', textContent: 'Copy' })
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.firstChild.textContent)
    button.textContent = 'Copied'
  })
  block.append(button)
}
