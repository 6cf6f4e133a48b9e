import { Elysia } from 'elysia'
import { listDistributorRfqs } from '../../../proto/http/sourcing/distributor-rfqs.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { listRfqs } from './queries.ts'

export const distributorRoutes = ({ http, pagination }: { http: Http; pagination: Pagination }) =>
  new Elysia({ name: 'sourcing.distributor' }).use(
    http.route(listDistributorRfqs, (context) =>
      pagination.ofCaller(context, { name: 'distributor rfqs', isMerged: true }, listRfqs),
    ),
  )
