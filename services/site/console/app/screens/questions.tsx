import { useSignal } from '@preact/signals'
import { QUESTION } from '../../../../../proto/states/questions.ts'
import { RFQ } from '../../../../../proto/states/rfqs.ts'
import { post, type Question, type Rfq } from '../api.ts'
import { useList } from '../data.ts'
import { time } from '../format.ts'
import { can, is, permits } from '../me.ts'
import { OrgName } from '../names.tsx'
import { t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Field, textOf } from '../ui/form.tsx'
import { ItemList } from '../ui/list.tsx'
import { Badge, Section } from '../ui/page.tsx'
import { hasDeclined } from './rfq-terms.tsx'

/** An IP owner that is invited itself is an invitee. */
const mayAnswer = (rfq: Rfq) =>
  !is('invitee', rfq) && ((is('consumer', rfq) && can('rfq:create')) || (is('ipOwner', rfq) && can('part:update')))

/** The asker's words are not proposed for the publication, because others could recognise the asker by them. */
function AnswerFields() {
  const audience = useSignal('ALL')
  return (
    <>
      <Field
        name="audience"
        label={t.questions.audience}
        text={audience}
        options={(['ALL', 'ASKER'] as const).map((each) => [each, t.questions.audiences[each]])}
      />
      <div hidden={audience.value !== 'ALL'}>
        <Field
          name="publishedText"
          label={t.questions.publishedText}
          hint={t.questions.publishedHint}
          rows={3}
          isFocused
        />
      </div>
      <Field name="text" label={t.questions.answer} rows={4} />
    </>
  )
}

function Steps({ rfq, question }: { rfq: Rfq; question: Question }) {
  const ids = { id: rfq.id, questionId: question.id }
  const isOpen = QUESTION.isLegal('answer', question.state) && mayAnswer(rfq)
  const answer = (data: FormData) => {
    const audience = data.get('audience') === 'ALL' ? 'ALL' : 'ASKER'
    const publishedText = audience === 'ALL' ? textOf(data, 'publishedText') : undefined
    const body = { text: textOf(data, 'text') ?? '', audience, ...(publishedText && { publishedText }) } as const
    return post('/flows/v1/rfqs/{id}/questions/{questionId}/answer', ids, body)
  }
  return (
    <span class="actions even">
      <Action
        label={t.questions.dismiss}
        hint={question.text}
        when={isOpen}
        isDangerous
        onRun={() => post('/flows/v1/rfqs/{id}/questions/{questionId}/dismiss', ids)}
      />
      <Action label={t.questions.toAnswer} hint={question.text} when={isOpen} onRun={answer}>
        <AnswerFields />
      </Action>
    </span>
  )
}

/** The asker's words where they are readable, else those that were published. */
const titleOf = ({ text, publishedText }: Question) => text ?? publishedText ?? t.questions.clarification

/** Who reads the answer, and whether it names the asker. */
const readersOf = ({ audience, publishedText }: Question) =>
  audience === 'ALL' && publishedText === undefined ? t.questions.toAll : audience && t.questions.read[audience]

function Item({ rfq, question }: { rfq: Rfq; question: Question }) {
  const { text, publishedText, askedByOrgId, answeredByOrgId, answer, state, createdTime, answeredTime } = question
  return (
    <li>
      <span>
        <strong class="text">{titleOf(question)}</strong> <Badge of="question" state={state} />
        {text && publishedText && (
          <p class="text quiet">
            {t.questions.publishedAs}: {publishedText}
          </p>
        )}
        {answer ? <p class="text">{answer}</p> : <br />}
        <small class="quiet">
          {askedByOrgId && (
            <>
              <OrgName id={askedByOrgId} /> {t.questions.asked} ·{' '}
            </>
          )}
          {answeredByOrgId && (
            <>
              <OrgName id={answeredByOrgId} /> {t.questions.answered} ·{' '}
            </>
          )}
          {[readersOf(question), time(answeredTime ?? createdTime)].filter(Boolean).join(' · ')}
        </small>
      </span>
      <Steps rfq={rfq} question={question} />
    </li>
  )
}

/** The questions about an RFQ that one reads as a whole, and what one can do with them. */
export function Questions({ rfq }: { rfq: Rfq }) {
  const { id, state } = rfq
  const list = useList('/flows/v1/rfqs/{id}/questions', { path: { id } })
  const send = (path: 'questions' | 'clarifications') => (data: FormData) =>
    post(`/flows/v1/rfqs/{id}/${path}`, id, { text: textOf(data, 'text') ?? '' })
  return (
    <Section
      title={t.questions.title}
      actions={
        <>
          <Action
            label={t.questions.ask}
            hint={t.questions.askHint}
            when={
              is('invitee', rfq) &&
              !hasDeclined(rfq) &&
              RFQ.isLegal('ask', state) &&
              permits('POST /flows/v1/rfqs/{id}/questions')
            }
            onRun={send('questions')}
          >
            <Field name="text" label={t.questions.question} rows={4} isFocused />
          </Action>
          <Action
            label={t.questions.clarify}
            hint={t.questions.clarifyHint}
            when={mayAnswer(rfq) && RFQ.isLegal('clarify', state)}
            onRun={send('clarifications')}
          >
            <Field name="text" label={t.questions.clarification} rows={4} isFocused />
          </Action>
        </>
      }
    >
      <ItemList list={list}>{(question) => <Item key={question.id} rfq={rfq} question={question} />}</ItemList>
    </Section>
  )
}
