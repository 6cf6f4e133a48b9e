import { type Static, Type } from '@sinclair/typebox'

/** The domain event behind a change of a case or an assignment. */
export const Cause = Type.Object(
  {
    event: Type.String({ description: 'Type of the domain event.', examples: ['sourcing.offer.submitted'] }),
    id: Type.String({ description: 'Id of the record that changed.', examples: ['offer_01JZ0000000000000000000000'] }),
  },
  { description: 'What led to the change. Absent for changes of the case or assignment itself.' },
)
export type Cause = Static<typeof Cause>
