import { conformance } from '../../testing/bus/conformance/conformance.ts'
import { testDatabase } from '../../testing/database.ts'

const database = await testDatabase()

conformance(async () => ({
  database,
  async interrupt() {
    await database.owner`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name ~ '-(notifier|leader)$'`
  },
}))
