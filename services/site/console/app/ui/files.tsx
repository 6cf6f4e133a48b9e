import { useRef } from 'preact/hooks'
import { useRecord } from '../data.ts'
import { bytes } from '../format.ts'
import { t } from '../texts.ts'
import { underOwnName } from '../upload.ts'
import { Badge, Section } from './page.tsx'
import { Empty, Shown } from './states.tsx'

/** Its address is signed anew in each answer, so the first one stays. */
const Picture = ({ name, url }: { name: string; url: string }) => (
  <img class="picture" src={useRef(url && underOwnName(url)).current} alt={name} />
)

/** The files of a part with their downloads, and its pictures. */
export function PartFiles({ partId }: { partId: string }) {
  const read = useRecord('/v1/parts/{id}/files', { path: { id: partId } })
  return (
    <Section title={t.files.title}>
      <Shown read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty />
          ) : (
            <>
              {items
                .filter(({ contentType, state }) => state === 'READY' && contentType?.startsWith('image/'))
                .map(({ id, name, downloadUrl }) => (
                  <Picture key={id} name={name} url={downloadUrl ?? ''} />
                ))}
              <ul class="items">
                {items.map(({ id, name, group, state, size, downloadUrl }) => (
                  <li key={id}>
                    {downloadUrl ? (
                      <a href={underOwnName(downloadUrl)} download={name}>
                        {name}
                      </a>
                    ) : (
                      <span>
                        {name} <Badge of="file" state={state} />
                      </span>
                    )}
                    <small class="quiet">
                      {t.files.groups[group]}
                      {size !== undefined && ` · ${bytes(size)}`}
                    </small>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Shown>
    </Section>
  )
}
