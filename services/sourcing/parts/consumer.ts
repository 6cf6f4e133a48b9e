import type { Bus } from '../../kit/bus/bus.ts'
import type { Worker } from '../../kit/service/worker.ts'
import { refreshTechnologies } from './queries.ts'

/** Few enough for one statement to stay far below its time-out. */
const PARTS_AT_A_TIME = 2000

/** Parts show the technologies of their process, which a catalog import may change: neither content nor history does. */
export const followProcesses = (bus: Bus): Worker =>
  bus.consume({
    name: 'refresh-part-technologies',
    subjects: ['catalog.reloaded'],
    handle: async (tx, event) => {
      const { catalogs } = event.data as { catalogs: string[] }
      if (!catalogs.includes('processes')) return
      while ((await refreshTechnologies(tx, PARTS_AT_A_TIME)).length === PARTS_AT_A_TIME);
    },
  })
