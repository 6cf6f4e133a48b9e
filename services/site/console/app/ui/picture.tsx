import { useRef } from 'preact/hooks'
import { underOwnName } from '../upload.ts'
import { Icon, type IconName } from './icon.tsx'

/** What is drawn in place of a picture, by the kind of the record. */
const KINDS = {
  part: 'box',
  rfq: 'clipboard-list',
  offer: 'clipboard-list',
  order: 'package',
  package: 'layers',
  factory: 'factory',
  case: 'messages-square',
  person: 'user',
  agreement: 'handshake',
  endpoint: 'webhook',
} as const satisfies Record<string, IconName>

export type PictureKind = keyof typeof KINDS

interface PictureProps {
  url: string | undefined
  /** Empty where the title of the record is beside it. */
  alt: string
  kind: PictureKind
  size?: 'small' | 'large'
}

/** The picture of a record, or the icon of its kind in the same place. Its address is signed anew, so the first stays. */
export function Picture({ url, alt, kind, size = 'small' }: PictureProps) {
  const shown = useRef(url).current ?? url
  const edge = size === 'small' ? 40 : 64
  return (
    <span class={`picture ${size}`}>
      {shown ? (
        <img src={underOwnName(shown)} alt={alt} width={edge} height={edge} loading="lazy" />
      ) : (
        <Icon name={KINDS[kind]} size={edge / 2} />
      )}
    </span>
  )
}

/** The address of the picture of a record, where it has one. */
export function pictureOf(record: object): string | undefined {
  const url = 'previewUrl' in record ? record.previewUrl : undefined
  return typeof url === 'string' && url !== '' ? url : undefined
}
