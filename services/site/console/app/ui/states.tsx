import type { ComponentChildren } from 'preact'
import { ApiError } from '../api.ts'
import type { Read } from '../data.ts'
import { refreshVisible } from '../refresh.ts'
import { t } from '../texts.ts'

/** Lines that take the place of what is loading. */
export const Loading = ({ lines = 4 }: { lines?: number }) => (
  <div class="loading" role="status" aria-label={t.ui.loading}>
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} />
    ))}
  </div>
)

export const Empty = ({ children = t.ui.empty }: { children?: ComponentChildren }) => <p class="empty">{children}</p>

interface NoticeProps {
  title: string
  hint?: string | undefined
  /** Whether it takes the place of a screen. */
  isScreen: boolean
  children?: ComponentChildren
}

const Notice = ({ title, hint, isScreen, children }: NoticeProps) => (
  <div class="notice" role="alert">
    {isScreen ? <h1>{title}</h1> : <h2>{title}</h2>}
    {hint && <p>{hint}</p>}
    {children}
  </div>
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
      <Notice isScreen={isScreen} title={t.ui.unreachable}>
        {retry}
      </Notice>
    )
  if (error.status === 403) return <Notice isScreen={isScreen} title={t.ui.forbidden} hint={t.ui.forbiddenHint} />
  if (error.status === 404) return <Notice isScreen={isScreen} title={t.ui.notFound} hint={t.ui.notFoundHint} />
  return (
    <Notice isScreen={isScreen} title={t.ui.failed} hint={error.detail}>
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
  children,
}: {
  read: Read<T>
  lines?: number
  isScreen?: boolean
  children: (data: T) => ComponentChildren
}) {
  if (read.data !== undefined) return <>{children(read.data)}</>
  return read.error ? <Problem error={read.error} isScreen={isScreen} /> : <Loading lines={lines} />
}
