import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Case, type CaseMessage, type Document, market, post } from '../api.ts'
import { useAll, useList } from '../data.ts'
import { time } from '../format.ts'
import { me, orgId, permits } from '../me.ts'
import { OrgName, orgName, UserName } from '../names.tsx'
import { refreshVisible } from '../refresh.ts'
import { counted, fill, t } from '../texts.ts'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { DocumentName } from '../ui/documents.tsx'
import { Field, Form, textOf } from '../ui/form.tsx'
import { ItemList } from '../ui/list.tsx'
import { Section } from '../ui/page.tsx'
import { Unfold } from '../ui/unfold.tsx'

/** How many messages of a case its reader has not read; nothing where there is none. */
export const Unread = ({ of: { unreadCount = 0 } }: { of: Case }) =>
  unreadCount === 0 ? null : (
    <span class="badge live">{counted(t.messages.unread, unreadCount, String(unreadCount))}</span>
  )

/** Marks what is shown as read, unless another person looks on behalf of the reader. */
function useMarkAsRead({ id, unreadCount = 0 }: Case, newest: CaseMessage | undefined) {
  const isReader = permits('POST /flows/v1/cases/{id}/read') && me.value?.impersonation === undefined
  const messageId = unreadCount > 0 && isReader ? newest?.id : undefined
  useEffect(() => {
    if (messageId === undefined) return
    market.POST('/flows/v1/cases/{id}/read', { params: { path: { id } }, body: { messageId } }).then(
      () => refreshVisible(),
      () => {},
    )
  }, [messageId])
}

function Message({ message, documents }: { message: CaseMessage; documents: readonly Document[] }) {
  const { text, authorOrgId, authorUserId, fileIds, createdTime } = message
  const named = documents.filter(({ id }) => fileIds.includes(id))
  return (
    <li>
      <span>
        <p class="text">{text}</p>
        {named.map((document) => (
          <p key={document.id}>
            <DocumentName document={document} />
          </p>
        ))}
        <small class="quiet">
          <OrgName id={authorOrgId} />
          {authorUserId && (
            <>
              , <UserName id={authorUserId} />
            </>
          )}{' '}
          · {time(createdTime)}
        </small>
      </span>
    </li>
  )
}

/** Names the other organizations, because a record can have conversations with several. */
function titleOf({ partyOrgIds }: Case): string {
  const others = partyOrgIds.filter((id) => id !== orgId.value)
  return others.length === 0 ? t.messages.title : fill(t.messages.with, { names: others.map(orgName).join(', ') })
}

/** The messages of a case, newest first, and a field for the next one. */
export function Messages({ record, mayEdit }: { record: Case; mayEdit: boolean }) {
  const { id } = record
  const list = useList('/flows/v1/cases/{id}/messages', { path: { id } })
  const { data: documents = [] } = useAll('/flows/v1/cases/{id}/files', { path: { id } })
  const sent = useSignal(0)
  useMarkAsRead(record, list.data?.[0])
  const own = documents.filter((document) => document.orgId === orgId.value && !document.supersededBy)
  const send = async (data: FormData) => {
    const fileIds = chosenIn(data, 'fileIds')
    const body = { text: textOf(data, 'text') ?? '', ...(fileIds.length > 0 && { fileIds }) }
    await post('/flows/v1/cases/{id}/messages', id, body)
    sent.value += 1
  }
  return (
    <Section title={titleOf(record)}>
      {mayEdit && (
        <Form key={sent.value} submit={t.messages.send} tone="" onSend={send}>
          <Field name="text" label={t.messages.text} rows={3} />
          {own.length > 0 && (
            <Unfold title={t.messages.attach}>
              {() => (
                <Choices
                  name="fileIds"
                  label={t.messages.documents}
                  options={own.map((each) => [each.id, each.name])}
                />
              )}
            </Unfold>
          )}
        </Form>
      )}
      <ItemList list={list} empty={t.messages.none}>
        {(message) => <Message key={message.id} message={message} documents={documents} />}
      </ItemList>
    </Section>
  )
}
