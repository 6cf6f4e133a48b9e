import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { market } from '../api.ts'
import { caseTitle } from '../case-title.ts'
import { number } from '../format.ts'
import { can, permits } from '../me.ts'
import { partTitle } from '../names.tsx'
import { beginnings, screens } from '../screens.ts'
import { counted, t } from '../texts.ts'
import { Dialog } from './dialog.tsx'
import { mayLeave } from './half-filled.ts'
import { Icon, type IconName } from './icon.tsx'
import { hasKeys, overlay, setKeys } from './keys.ts'
import { Switch } from './switch.tsx'

interface Entry {
  path: string
  label: string
  kind: string
  icon: IconName
}

/** The types of Preact know no text field with this role. */
const COMBOBOX = { type: 'text', role: 'combobox', 'aria-expanded': true, 'aria-autocomplete': 'list' }

const MAX_FOUND = 5
const MAX_READ = 50
const MIN_LETTERS = 2
const WAIT_MS = 200

const close = () => {
  overlay.value = undefined
}

/** The first records of each kind with this text, of those that the person can list. */
async function find(q: string): Promise<Entry[]> {
  const params = { query: { q, pageSize: MAX_FOUND } }
  const isConsumer = can('app:consumer')
  const isMaker = can('app:manufacturer')
  const view = isConsumer ? ('CONSUMER' as const) : isMaker ? ('MANUFACTURER' as const) : ('IP_OWNER' as const)
  const isTrader = isConsumer || isMaker || can('app:ip-owner')
  const reads: (false | Promise<Entry[]>)[] = [
    isTrader &&
      market.GET('/v1/rfqs', { params: { query: { ...params.query, view } } }).then(({ data }) =>
        data.items.map(({ id, partId, serialNumber }) => ({
          path: `/console/rfqs/${id}`,
          label: [serialNumber, partTitle(partId, '')].filter(Boolean).join(' · '),
          kind: t.nav.rfqs,
          icon: 'clipboard-list' as const,
        })),
      ),
    market.GET('/flows/v1/orders', { params }).then(({ data }) =>
      data.items.map(({ id, partId, serialNumber }) => ({
        path: `/console/orders/${id}`,
        label: [serialNumber, partTitle(partId, '')].filter(Boolean).join(' · '),
        kind: t.nav.orders,
        icon: 'package' as const,
      })),
    ),
    isTrader &&
      market
        .GET('/flows/v1/parts', {
          params: { query: { ...params.query, view: can('app:ip-owner') ? 'IP_OWNER' : 'CONSUMER' } },
        })
        .then(({ data }) =>
          data.items.map(({ id, title, serialNumber }) => ({
            path: `/console/parts/${id}`,
            label: title ?? serialNumber,
            kind: t.nav.parts,
            icon: 'box' as const,
          })),
        ),
    (isConsumer || isMaker) &&
      market
        .GET('/v1/factories', { params: { query: { ...params.query, view: isMaker ? 'MANUFACTURER' : 'CONSUMER' } } })
        .then(({ data }) =>
          data.items.map(({ id, name }) => ({
            path: `/console/factories/${id}`,
            label: name,
            kind: t.nav.factories,
            icon: 'factory' as const,
          })),
        ),
  ]
  const hasText = (label: string) => label.toLowerCase().includes(q.toLowerCase())
  reads.push(
    // Packages and cases have no search, so the newest ones are looked through.
    (isConsumer || isMaker) &&
      market
        .GET('/flows/v1/rfq-packages', {
          params: { query: { view: isConsumer ? 'CONSUMER' : 'MANUFACTURER', pageSize: MAX_READ } },
        })
        .then(({ data }) =>
          data.items
            .filter(({ title }) => hasText(title))
            .slice(0, MAX_FOUND)
            .map(({ id, title }) => ({
              path: `/console/packages/${id}`,
              label: title,
              kind: t.packages.title,
              icon: 'layers' as const,
            })),
        ),
    permits('GET /flows/v1/cases') &&
      market.GET('/flows/v1/cases', { params: { query: { pageSize: MAX_READ } } }).then(({ data }) =>
        data.items
          .map((record) => ({
            path: `/console/cases/${record.id}`,
            label: caseTitle(record),
            kind: t.nav.cases,
            icon: 'messages-square' as const,
          }))
          .filter(({ label }) => hasText(label))
          .slice(0, MAX_FOUND),
      ),
  )
  // A kind that is refused, or fails, leaves the others.
  const found = await Promise.all(reads.map((read) => (read ? read.catch(() => []) : [])))
  return found.flat()
}

function matching(text: string): Entry[] {
  const entries: Entry[] = [
    ...screens().map(({ path, label, icon }) => ({ path, label, icon, kind: t.palette.screen })),
    ...beginnings().map(([label, path]) => ({ path, label, icon: 'plus' as const, kind: t.palette.begin })),
    { path: '/console/account', label: t.account.title, icon: 'user', kind: t.palette.screen },
  ]
  const words = text.toLowerCase().split(/\s+/)
  return entries.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
}

/** Everything that the person may open or begin, found by text. */
function Palette() {
  const { route } = useLocation()
  const id = useId()
  const text = useSignal('')
  const found = useSignal<{ text: string; entries: readonly Entry[] }>({ text: '', entries: [] })
  const at = useSignal(0)
  const typed = text.value.trim()
  useEffect(() => {
    if (typed.length < MIN_LETTERS) return
    const timer = setTimeout(async () => {
      const entries = await find(typed)
      // Answers may arrive in another order than the requests were sent.
      if (text.peek().trim() === typed) found.value = { text: typed, entries }
    }, WAIT_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const isComplete = typed.length < MIN_LETTERS || found.value.text === typed
  const entries = [...matching(typed), ...(typed.length < MIN_LETTERS ? [] : found.value.entries)]
  const chosen = Math.min(at.value, entries.length - 1)
  const active = entries.length > 0 ? `${id}-${chosen}` : undefined
  const open = ({ path }: Entry) => {
    if (!mayLeave()) return
    close()
    route(path)
  }
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const entry = entries[chosen]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step !== undefined) {
      at.value = (chosen + step + entries.length) % Math.max(1, entries.length)
      requestAnimationFrame(() =>
        document.querySelector('.palette [aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
      )
    } else if (entry) open(entry)
  }
  return (
    <Dialog title={t.palette.title} look="palette" onClose={close}>
      <input
        {...({
          ...COMBOBOX,
          autofocus: true,
          'aria-controls': `${id}-list`,
          'aria-activedescendant': active,
        } as object)}
        aria-label={t.palette.title}
        placeholder={t.palette.hint}
        maxLength={200}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
          at.value = 0
        }}
        onKeyDown={pressed}
      />
      <div id={`${id}-list`} class="entries" role="listbox" aria-label={t.palette.title}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keyboard for all of them.
          <div
            key={entry.path}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => open(entry)}
          >
            <Icon name={entry.icon} />
            <span>{entry.label}</span>
            <small>{entry.kind}</small>
          </div>
        ))}
      </div>
      <p class="quiet" role="status">
        {isComplete ? counted(t.palette.found, entries.length, number(entries.length)) : t.ui.loading}
      </p>
    </Dialog>
  )
}

const Help = () => (
  <Dialog title={t.keys.title} onClose={close}>
    <dl class="keys-help">
      {[
        ['Ctrl K', t.keys.palette],
        ['/', t.keys.search],
        ['j', t.keys.next],
        ['k', t.keys.previous],
        ['Enter', t.keys.open],
        ['?', t.keys.help],
        ...screens().map(({ key, label }) => [`g ${key}`, label] as const),
      ].map(([key, does]) => (
        <>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </>
      ))}
    </dl>
    <Switch name="keys" label={t.keys.single} hint={t.keys.singleHint} isOn={hasKeys.value} onChange={setKeys} />
    <div class="buttons">
      <button type="button" onClick={close}>
        {t.ui.close}
      </button>
    </div>
  </Dialog>
)

/** What is opened over the screen with the keyboard, or with the search of the navigation. */
export const Overlay = () => (overlay.value === 'palette' ? <Palette /> : overlay.value === 'help' ? <Help /> : null)
