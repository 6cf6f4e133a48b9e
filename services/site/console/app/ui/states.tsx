import type { ComponentChildren } from 'preact'
import { ApiError } from '../api.ts'
import type { Read } from '../data.ts'
import { refreshVisible } from '../refresh.ts'
import { t } from '../texts.ts'
import { Icon, type IconName } from './icon.tsx'

type Shape = 'text' | 'lines' | 'screen' | 'body'

/** What takes the place of what is loading, in its size: lines of text, the rows of a list, a screen, or what is below its head. */
export const Loading = ({ lines = 4, shape = 'text' }: { lines?: number; shape?: Shape }) => (
  <div class={`loading ${shape}`} role="status" aria-label={t.ui.loading}>
    {Array.from({ length: shape === 'screen' ? 3 : shape === 'body' ? 2 : lines }, (_, line) => (
      <span key={line} />
    ))}
  </div>
)

const Emblem = ({ name, tone = '' }: { name: IconName; tone?: string }) => (
  <span class={`emblem ${tone}`}>
    <Icon name={name} size={24} />
  </span>
)

interface EmptyProps {
  children?: ComponentChildren
  /** The icon of a list without rows, which fills its place. */
  icon?: IconName
  /** What a person can do about it. */
  action?: ComponentChildren
}

export const Empty = ({ children = t.ui.empty, icon, action }: EmptyProps) =>
  icon ? (
    <div class="empty large">
      <Emblem name={icon} />
      <p>{children}</p>
      {action}
    </div>
  ) : (
    <p class="empty">{children}</p>
  )

interface NoticeProps {
  icon: IconName
  title: string
  hint?: string | undefined
  /** Whether it takes the place of a screen. */
  isScreen: boolean
  children?: ComponentChildren
}

const Notice = ({ icon, title, hint, isScreen, children }: NoticeProps) => (
  <div class="notice" role="alert">
    <Emblem name={icon} tone={icon === 'circle-alert' ? 'bad' : ''} />
    {isScreen ? <h1>{title}</h1> : <h2>{title}</h2>}
    {hint && <p class="quiet">{hint}</p>}
    {children}
  </div>
)

/** A record or a screen that does not exist, and the way back. */
export const Missing = ({ isScreen, hint = t.ui.notFoundHint }: { isScreen: boolean; hint?: string }) => (
  <Notice icon="search-x" isScreen={isScreen} title={t.ui.notFound} hint={hint}>
    <a class="button" href="/console">
      {t.nav.home}
    </a>
  </Notice>
)

/** Why something cannot be shown, with what one can do. */
export function Problem({ error, isScreen = false }: { error: unknown; isScreen?: boolean }) {
  const retry = (
    <button type="button" onClick={() => refreshVisible()}>
      {t.ui.retry}
    </button>
  )
  if (!(error instanceof ApiError))
    return (
      <Notice icon="wifi-off" isScreen={isScreen} title={t.ui.unreachable}>
        {retry}
      </Notice>
    )
  if (error.status === 403)
    return <Notice icon="lock" isScreen={isScreen} title={t.ui.forbidden} hint={t.ui.forbiddenHint} />
  if (error.status === 404) return <Missing isScreen={isScreen} />
  return (
    <Notice icon="circle-alert" isScreen={isScreen} title={t.ui.failed} hint={error.detail}>
      <p class="quiet">
        {t.ui.requestId} <code>{error.requestId}</code>
      </p>
      {retry}
    </Notice>
  )
}

/** Shows data, or why there are none, or that they are loading. */
export function Shown<T>({
  read,
  lines = 4,
  isScreen = false,
  shape = isScreen ? 'screen' : 'text',
  children,
}: {
  read: Read<T>
  lines?: number
  isScreen?: boolean
  shape?: Shape
  children: (data: T) => ComponentChildren
}) {
  if (read.data !== undefined) return <>{children(read.data)}</>
  return read.error ? <Problem error={read.error} isScreen={isScreen} /> : <Loading lines={lines} shape={shape} />
}
