import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useSettled } from '../settling.ts'
import { t, wordsOf } from '../texts.ts'
import { Icon } from './icon.tsx'
import { Loading } from './states.tsx'

interface PageProps {
  title: string
  /** What kind of record it is, or where it belongs. */
  over?: ComponentChildren
  badge?: ComponentChildren
  /** The picture of a record, whose next step is at the foot of a narrow window. */
  picture?: ComponentChildren
  /** At most one of them is primary. From the third other one on they are a menu. */
  actions?: ComponentChildren
  children: ComponentChildren
}

/** What one can do. All verbs are siblings, so that an open dialog stays where its verb moves into the menu. */
function Actions({ children }: { children: ComponentChildren }) {
  const id = useId()
  const isOpen = useSignal(false)
  const group = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen.value) return
    const close = () => {
      isOpen.value = false
    }
    // A verb closes the menu too, after its click.
    const clicked = ({ target }: Event) => {
      if (!opener.current?.contains(target as Node)) close()
    }
    const pressed = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      close()
      opener.current?.focus()
    }
    addEventListener('click', clicked)
    addEventListener('keydown', pressed)
    return () => {
      removeEventListener('click', clicked)
      removeEventListener('keydown', pressed)
    }
  }, [isOpen.value])
  return (
    <div ref={group} id={id} class="actions" data-open={isOpen.value || undefined}>
      {children}
      <button
        ref={opener}
        type="button"
        class="overflow"
        aria-label={t.ui.moreActions}
        aria-expanded={isOpen.value}
        aria-controls={id}
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      >
        <Icon name="ellipsis" />
      </button>
    </div>
  )
}

/** A screen: its title in the window and on the page, what one can do, and its content. */
export function Page({ title, over, badge, picture, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${t.brand}`
  }, [title])
  return (
    <>
      <header class={picture ? 'title of-record' : 'title'}>
        <div>
          {picture}
          <div>
            {over && <p class="over">{over}</p>}
            <h1 tabIndex={-1}>
              {title} {badge}
            </h1>
          </div>
        </div>
        {actions && <Actions>{actions}</Actions>}
      </header>
      {picture ? <Body>{children}</Body> : children}
    </>
  )
}

/** What a record consists of, which is shown at once. */
function Body({ children }: { children: ComponentChildren }) {
  const isSettled = useSettled()
  return (
    <div class="body">
      {!isSettled && <Loading shape="body" />}
      <div class={isSettled ? 'stack' : 'stack settling'}>{children}</div>
    </div>
  )
}

export const Section = ({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
}) => (
  <section class="panel" aria-label={title}>
    <header>
      <h2>{title}</h2>
      {actions}
    </header>
    {children}
  </section>
)

export type Fact = readonly [term: string, value: ComponentChildren]

/** Terms with their values; those without a value are left out. */
export const Facts = ({ of }: { of: readonly Fact[] }) => (
  <dl class="facts">
    {of
      .filter(([, value]) => value !== undefined && value !== '' && value !== false)
      .map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** A code of the API in words, with itself. */
export const Code = ({ of }: { of: string }) => (
  <span>
    {wordsOf(of)} <small class="quiet">{of}</small>
  </span>
)

const TONES: Record<string, string> = {
  ...{ OPEN: 'live', SUBMITTED: 'live', OFFERED: 'live', PUBLISHED: 'live', IN_PRODUCTION: 'live', INSPECTION: 'live' },
  ...{ active: 'good', paused: 'bad' },
  ...{ ACTIVE: 'good', AWARDED: 'good', ACCEPTED: 'good', COMPLETED: 'good', CONFIRMED: 'good', DELIVERED: 'good' },
  ...{
    PLACED: 'wait',
    INVITED: 'wait',
    READ: 'wait',
    ON_HOLD: 'wait',
    PENDING: 'wait',
    CLOSED: 'wait',
    SHIPPED: 'live',
  },
  ...{ PROVED: 'good', LOST: 'bad', SUCCEEDED: 'good', ENFORCED: 'good' },
  ...{ UNOPENED: 'wait', REDEEMED: 'live' },
  ...{ REQUESTED: 'wait', ASKED: 'wait', ANSWERED: 'good', PROPOSED: 'wait', ARRIVED: 'wait', RECEIVED: 'good' },
  ...{ REJECTED: 'bad', DECLINED: 'bad', CANCELLED: 'bad', FAILED: 'bad', PAUSED: 'bad' },
}

/** The state of a record. */
export function Badge<K extends keyof typeof t.states>({
  of,
  state,
}: {
  of: K
  state: keyof (typeof t.states)[K] & string
}) {
  return <span class={`badge ${TONES[state] ?? ''}`}>{String(t.states[of][state])}</span>
}

/** An address, which breaks after the @ where it does not fit. */
export function Address({ of: address }: { of: string }) {
  const [local, domain] = address.split('@')
  return (
    <span class="address">
      {local}
      {domain !== undefined && (
        <>
          @<wbr />
          {domain}
        </>
      )}
    </span>
  )
}
