import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { Asset } from './assets.ts'
import { kept } from './kept.ts'

test.each(['br', 'gzip', 'identity'])(
  'an asset in %s that could not be built is built again at the next request',
  async (coding) => {
    let builds = 0
    const bundle = kept(async () => {
      builds += 1
      if (builds === 1) throw new Error('EMFILE: too many open files')
      return Buffer.from('script')
    })
    const asset = new Asset('text/javascript', bundle)
    const app = new Elysia().get('/', async ({ request }) => {
      const { body } = await asset.answer(request)
      return new Response(body)
    })
    const status = async () =>
      (await app.handle(new Request('http://localhost/', { headers: { 'accept-encoding': coding } }))).status
    expect([await status(), await status(), await status(), builds]).toEqual([500, 200, 200, 2])
  },
)
