import { type Static, Type } from '@sinclair/typebox'
import { QUESTION, QUESTION_STATES } from '../../states/questions.ts'
import { RFQ } from '../../states/rfqs.ts'
import { listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, FORM, OneOf, Text } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { rfqId } from './rfqs.ts'

const questionsTag = defineTag(
  'RFQ questions',
  'Questions of invited manufacturers about an RFQ, their answers, and clarifications.',
)

/** Questions of one invitee about one RFQ. */
export const MAX_QUESTIONS = 50
/** Questions of all invitees about one RFQ. */
export const MAX_QUESTIONS_OF_ALL = 500
/** Clarifications of one RFQ. */
export const MAX_CLARIFICATIONS = 500

const MAX_TEXT = 5000
/** At least one character that is not white space. */
const VISIBLE = '\\S'

const EXAMPLE_ID = 'question_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_ANSWER = 'Yes, after stress relief.'

const Words = (description: string, example: string) =>
  Text(MAX_TEXT, {
    minLength: 1,
    pattern: VISIBLE,
    [FORM]: 'a text that is not blank',
    description,
    examples: [example],
  })

const AUDIENCES = ['ASKER', 'ALL'] as const

const audience = OneOf(AUDIENCES, {
  description: 'ASKER: the asker alone reads the answer. ALL: every invited manufacturer reads it.',
  examples: ['ALL'],
})

export const QuestionInput = closed({
  text: Words('The question.', 'May our machine of Bergen be used, which is not yet qualified?'),
})

export const AnswerInput = closed({
  text: Words('The answer.', EXAMPLE_ANSWER),
  audience,
  publishedText: Type.Optional(
    Words(
      "With ALL, and then required: the question in words of your own, for the other invitees. It should not tell who asked, and must differ from the asker's words.",
      'May machines be used that are not yet qualified?',
    ),
  ),
})
export type AnswerInput = Static<typeof AnswerInput>

export const ClarificationInput = closed({
  text: Words('What every invited manufacturer should know.', 'The bores may also be reamed.'),
})

export const Question = closed(
  {
    id: Type.String({
      description: 'Id of the question. An invitee reads the answer to the question of another one under another id.',
      examples: [EXAMPLE_ID],
    }),
    rfqId: Type.String({ description: 'Its RFQ.', examples: ['rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    state: OneOf(QUESTION_STATES, { description: 'State of the question.', examples: ['ANSWERED'] }),
    askedByOrgId: Type.Optional(
      Type.String({
        description: 'The asker; only for itself, the consumer and the IP owner. Absent for a clarification.',
        examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
      }),
    ),
    text: Type.Optional(
      Type.String({
        description: "The asker's words; only for itself, the consumer and the IP owner. Absent for a clarification.",
        examples: ['May our machine of Bergen be used, which is not yet qualified?'],
      }),
    ),
    audience: Type.Optional(audience),
    publishedText: Type.Optional(
      Type.String({
        description: 'The question in the words of the answerer, as the other invitees read it.',
        examples: ['May machines be used that are not yet qualified?'],
      }),
    ),
    answer: Type.Optional(Type.String({ description: 'The answer.', examples: [EXAMPLE_ANSWER] })),
    answeredByOrgId: Type.Optional(
      Type.String({
        description: 'The organization that answered: the consumer or the IP owner.',
        examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
    ),
    createdTime: DateTime('Time of the question; for the other invitees that of the answer.'),
    answeredTime: Type.Optional(DateTime('Time of the answer.')),
    dismissedTime: Type.Optional(DateTime('Time at which it was dismissed, or its RFQ ended.')),
  },
  { description: 'A question about an RFQ, or a clarification: an answer without a question.' },
)
export type Question = Static<typeof Question>

const questionId = Type.Object({
  ...rfqId.properties,
  questionId: Type.String({ description: 'Id of the question.', examples: [EXAMPLE_ID] }),
})

const path = '/flows/v1/rfqs/{id}/questions'

export const listRfqQuestions = defineOperation({
  ...listOf(Question),
  id: 'listRfqQuestions',
  path,
  tag: questionsTag,
  summary: "List an RFQ's questions",
  description:
    'Newest first. The consumer and the IP owner read all questions and clarifications. An invited manufacturer reads its own questions, and the clarifications and the answers to ALL until it declines, without who asked, when and in which words. An IP owner that is invited itself reads what an invited manufacturer reads.',
  access: 'token',
  params: rfqId,
})

export const askRfqQuestion = defineOperation({
  id: 'askRfqQuestion',
  method: 'POST',
  path,
  tag: questionsTag,
  summary: 'Ask a question about an RFQ',
  description: `${RFQ.sentence('ask')} The consumer and the IP owner read the question at once. A manufacturer asks at most ${MAX_QUESTIONS} questions about an RFQ, and all together ask at most ${MAX_QUESTIONS_OF_ALL}.`,
  transition: RFQ.verbs.ask,
  access: 'offer:create',
  params: rfqId,
  body: QuestionInput,
  status: 201,
  answersState: 'ASKED',
  response: Question,
  refusals: ['illegal_transition', 'limit_reached'],
  // The text is not logged: the question itself keeps it.
  audit: { procedure: 'rfq.question.create', request: ['id', 'questionId'] },
})

const verb = verbsOf({
  name: 'rfq.question',
  table: QUESTION,
  path: `${path}/{questionId}`,
  tag: questionsTag,
  params: questionId,
  response: Question,
})

const BY_ROLE = 'The consumer needs `rfq:create`, the IP owner `part:update`; an organization that is both needs one.'

export const answerRfqQuestion = defineOperation({
  ...verb('answer', {
    logged: ['audience'],
    note: `${BY_ROLE} With the audience ALL every invitee reads the answer and \`publishedText\`, never who asked.`,
  }),
  summary: 'Answer a question about an RFQ',
  access: ['rfq:create', 'part:update'],
  body: AnswerInput,
})

export const dismissRfqQuestion = defineOperation({
  ...verb('dismiss', { note: BY_ROLE }),
  summary: 'Dismiss a question about an RFQ',
  access: ['rfq:create', 'part:update'],
})

export const clarifyRfq = defineOperation({
  id: 'clarifyRfq',
  method: 'POST',
  path: '/flows/v1/rfqs/{id}/clarifications',
  tag: questionsTag,
  summary: 'Add a clarification to an RFQ',
  description: `${RFQ.sentence('clarify')} ${BY_ROLE} A clarification is an answer to ALL without a question, listed among the questions. An RFQ has at most ${MAX_CLARIFICATIONS}.`,
  transition: RFQ.verbs.clarify,
  access: ['rfq:create', 'part:update'],
  params: rfqId,
  body: ClarificationInput,
  status: 201,
  answersState: 'ANSWERED',
  response: Question,
  refusals: ['illegal_transition', 'limit_reached'],
  audit: { procedure: 'rfq.clarification.create', request: ['id', 'questionId'] },
})
