import { orgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { useFiles } from '../ui/files.tsx'
import { Loading } from '../ui/states.tsx'

interface Props {
  partId: string
  /** The revision that the RFQ or the order pins. */
  partRevision?: number
  manufacturerIds: readonly string[]
}

/** The manufacturers of a release, and the confidential files that they can read by it. */
export function ReleasedFiles({ partId, partRevision, manufacturerIds }: Props) {
  const { data } = useFiles({ partId, revision: partRevision })
  const files = data?.items.filter(({ group }) => group === 'ip')
  return (
    <section aria-label={t.confidentiality.confidentialFiles}>
      <p>{fill(t.confidentiality.releasedTo, { makers: manufacturerIds.map(orgName).join(', ') })}</p>
      {!files && <Loading lines={1} />}
      {files?.length === 0 && <p class="hint">{t.confidentiality.noConfidentialFiles}</p>}
      {files && files.length > 0 && (
        <>
          <p>{t.confidentiality.confidentialFiles}:</p>
          <ul>
            {files.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
