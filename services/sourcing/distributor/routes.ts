import { Elysia } from 'elysia'
import { listDistributorRfqs } from '../../../proto/http/sourcing/distributor-rfqs.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { listRfqs } from './queries.ts'

export const distributorRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'sourcing.distributor' }).use(
    http.route(listDistributorRfqs, (context) =>
      pagination.ofCaller(context, { name: 'distributor rfqs', isMerged: true }, listRfqs),
    ),
  )
