// What the pages do beyond being read: copy a block of code, show one language of several at a time, search by `/`.
'use strict'

const LANGUAGE = 'svc-docs-language'
const COPIED_MS = 1_600

/** The language that was chosen before; nothing where the browser keeps nothing for this site. */
function chosenLanguage() {
  try {
    return localStorage.getItem(LANGUAGE)
  } catch {
    return null
  }
}

function remember(language) {
  try {
    localStorage.setItem(LANGUAGE, language)
  } catch {
    // It is chosen on this page alone then.
  }
}

async function copy(code) {
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent)
  getSelection().selectAllChildren(code) // Pages that came by plain HTTP from another machine have no clipboard.
  document.execCommand('copy')
}

function addCopyButton(figure) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await copy(figure.querySelector('code'))
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Not copied'
    }
    setTimeout(() => (button.textContent = 'Copy'), COPIED_MS)
  })
  figure.querySelector('figcaption').append(button)
}

function show(group, language) {
  for (const button of group.querySelectorAll('[role=tab]')) {
    const selected = button.dataset.language === language
    button.setAttribute('aria-selected', String(selected))
    button.tabIndex = selected ? 0 : -1
    document.getElementById(button.getAttribute('aria-controls')).hidden = !selected
  }
}

function choose(language) {
  remember(language)
  for (const group of document.querySelectorAll('.tabs.ready')) {
    if (group.querySelector(`[role=tab][data-language="${language}"]`)) show(group, language)
  }
}

function step(event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
  if (!by) return
  const buttons = [...event.currentTarget.children]
  const next = buttons.at((buttons.indexOf(event.target) + by) % buttons.length)
  choose(next.dataset.language)
  next.focus()
}

function addTabs(group, number) {
  const list = document.createElement('div')
  list.className = 'tablist'
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', 'Language of the example')
  const figures = [...group.querySelectorAll(':scope > .code')]
  for (const figure of figures) {
    const { language } = figure.dataset
    const button = document.createElement('button')
    figure.id = `tab-${number}-${language}`
    figure.setAttribute('role', 'tabpanel')
    figure.setAttribute('aria-label', figure.querySelector('figcaption > span').textContent)
    button.type = 'button'
    button.dataset.language = language
    button.textContent = figure.querySelector('figcaption > span').textContent
    button.setAttribute('role', 'tab')
    button.setAttribute('aria-controls', figure.id)
    button.addEventListener('click', () => choose(language))
    list.append(button)
  }
  list.addEventListener('keydown', step)
  group.prepend(list)
  group.classList.add('ready')
  const known = figures.map((figure) => figure.dataset.language)
  const before = chosenLanguage()
  show(group, known.includes(before) ? before : known[0])
}

document.querySelectorAll('.tabs').forEach(addTabs)
document.querySelectorAll('figure.code').forEach(addCopyButton)

/** `/` goes to the search, unless something is typed into already. */
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return
  const field = [...document.querySelectorAll('input[type=search]')].find((one) => one.checkVisibility())
  if (!field) return
  event.preventDefault()
  field.focus()
})
