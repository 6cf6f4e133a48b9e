import { expect, test } from 'bun:test'
import { casesOf } from '../../testing/cases.ts'
import { confidentialParties } from '../../testing/confidentiality.ts'
import { inboxOf } from '../../testing/inbox.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { questionsOf } from '../../testing/questions.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing', 'catalog'])
const { designer, maker, rival, stranger, open } = await confidentialParties(market)
const inboxes = [maker, rival, stranger].map(({ administrator }) => inboxOf(administrator.client))

test('before the acceptance of the terms an invitation tells the title alone', async () => {
  const id = await open()
  const [item, ...more] = await inboxOf(maker.administrator.client).about(id)
  expect([item?.title, more]).toEqual(['Impeller', []])
  expect(Object.keys(item ?? {}).toSorted()).toEqual(['due', 'kind', 'record', 'since', 'title'])
  expect(JSON.stringify(item).toLowerCase()).not.toContain('secret')
})

test('questions, messages, declines and the end of an RFQ show a rival nothing of each other', async () => {
  const id = await open()
  await rfqsOf(maker.administrator.client).act(id, 'accept-terms')
  const states = () => Promise.all(inboxes.slice(1).map(async (inbox) => JSON.stringify(await inbox.about(id))))
  const counts = async () => {
    const { items } = (await casesOf(rival.administrator.client).list(`?rfqId=${id}`)).body
    return items.map(({ unreadCount, lastMessageTime, updatedTime }) => [unreadCount, lastMessageTime, updatedTime])
  }
  const before = [await states(), await counts()]
  await questionsOf(maker.administrator.client).ask(id)
  const conversation = (await casesOf(maker.administrator.client).list(`?rfqId=${id}`)).body.items[0]?.id as string
  await casesOf(maker.administrator.client).write(conversation, 'A secret of the maker.')
  await casesOf(designer.administrator.client).write(conversation, 'A secret of the designer.')
  await casesOf(maker.administrator.client).tasks(conversation).create({ title: 'A secret task' })
  await rfqsOf(maker.administrator.client).act(id, 'decline')
  expect([await states(), await counts()]).toEqual(before)
  const { text } = await casesOf(rival.administrator.client).list()
  for (const word of ['secret', conversation, maker.orgId]) expect(text).not.toContain(word)
  await rfqsOf(designer.administrator.client).act(id, 'cancel', { reason: 'Sold.' })
  expect(await states()).toEqual(['[]', '[]'])
  for (const by of [rival, stranger]) {
    expect((await casesOf(by.administrator.client).messages(conversation)).status).toBe(404)
  }
})
