import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'

/** An id with the prefix of its kind: `part_01JZ…`. */
export const Id = (prefix: string, description: string) =>
  Type.String({ description, examples: [`${prefix}_01JZ8Q4D3R1G5M7VJ0T6W2X9YB`] })

export const OrgId = (description: string) => Id('org', description)

/** The same data for several event types, each with the description of its event. */
export const sameData = <const Descriptions extends Record<string, string>, Properties extends TProperties>(
  data: TObject<Properties>,
  descriptions: Descriptions,
): { [Type in keyof Descriptions]: TObject<Properties> } =>
  Object.fromEntries(
    Object.entries(descriptions).map(([type, description]) => [type, Type.Object(data.properties, { description })]),
  ) as { [Type in keyof Descriptions]: TObject<Properties> }

/** The domain event behind a change of a case or an assignment. */
export const Cause = Type.Object(
  {
    event: Type.String({ description: 'Type of the domain event.', examples: ['sourcing.offer.submitted'] }),
    id: Type.String({ description: 'Id of the record that changed.', examples: ['offer_01JZ0000000000000000000000'] }),
  },
  { description: 'What led to the change. Absent for changes of the case or assignment itself.' },
)
export type Cause = Static<typeof Cause>
