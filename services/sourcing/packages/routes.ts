import { Elysia } from 'elysia'
import * as comparisons from '../../../proto/http/sourcing/rfq-package-comparison.ts'
import * as lifecycle from '../../../proto/http/sourcing/rfq-package-lifecycle.ts'
import * as offers from '../../../proto/http/sourcing/rfq-package-offers.ts'
import * as operations from '../../../proto/http/sourcing/rfq-packages.ts'
import { csvFile } from '../../kit/http/raw.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import type { AwardDeps } from '../awards/commands.ts'
import { duplicateProblems } from '../awards/rules.ts'
import { deliveryProblems } from '../regions/regions.ts'
import { awardPackage } from './awards.ts'
import * as commands from './commands.ts'
import { comparePackage } from './comparison.ts'
import { packageComparisonFile } from './comparison-csv.ts'
import { offersProblems } from './offer-csv.ts'
import { offerForPackage } from './offers.ts'
import { invitedPackage, readPackage } from './packages.ts'
import * as queries from './queries.ts'
import { partProblems, sizeProblems } from './rules.ts'
import { templateOf } from './template.ts'
import { acceptPackageTerms } from './terms.ts'

type Deps = AwardDeps & RouteKit

export const packageRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.packages' })
    .use(
      http.route(operations.listRfqPackages, (context) => {
        const list = context.query.view === 'CONSUMER' ? queries.listOwnPackages : queries.listInvitedPackages
        return pagination.json(context, 'packages', (window, read) =>
          read((sql) => list(sql, context.caller.orgId, window)),
        )
      }),
    )
    .use(
      http.route(operations.getRfqPackage, ({ caller, params, read }) =>
        read((sql) => readPackage(sql, caller.orgId, params.id)),
      ),
    )
    .use(
      http.command(lifecycle.createRfqPackage, commands.createPackage, {
        checkBody: (body) => [...deliveryProblems(body), ...sizeProblems(body), ...partProblems(body)],
      }),
    )
    .use(http.command(lifecycle.patchRfqPackage, commands.patchPackage))
    .use(http.command(lifecycle.deleteRfqPackage, commands.deletePackage))
    .use(http.command(lifecycle.publishRfqPackage, (call) => commands.movePackage('publish', deps, call)))
    .use(http.command(lifecycle.extendRfqPackage, (call) => commands.movePackage('extend', deps, call)))
    .use(http.command(lifecycle.amendRfqPackage, (call) => commands.amendPackage(deps, call)))
    .use(http.command(lifecycle.closeRfqPackage, (call) => commands.movePackage('close', deps, call)))
    .use(http.command(lifecycle.cancelRfqPackage, (call) => commands.movePackage('cancel', deps, call)))
    .use(http.command(lifecycle.awardRfqPackage, (call) => awardPackage(deps, call), { checkBody: duplicateProblems }))
    .use(http.command(lifecycle.acceptRfqPackageTerms, (call) => acceptPackageTerms(deps, call)))
    .use(http.route(comparisons.getPackageComparison, async (context) => (await comparePackage(context)).comparison))
    .use(
      http.route(comparisons.exportPackageComparison, async (context) => {
        const { pkg, comparison } = await comparePackage(context)
        return csvFile(`comparison-${pkg.id}.csv`, packageComparisonFile(comparison))
      }),
    )
    .use(
      http.route(offers.listPackageOffers, (context) =>
        pagination.ofRecord(context, 'package offers', queries.findInvitedPackage, (sql, id, window) =>
          queries.listOwnOffers(sql, context.caller.orgId, id, window),
        ),
      ),
    )
    .use(http.command(offers.offerForRfqPackage, (call) => offerForPackage(deps, call), { checkBody: offersProblems }))
    .use(
      http.route(offers.getPackageOfferTemplate, async ({ caller, params, read }) => {
        const { id, lines } = await read((sql) => invitedPackage(sql, caller.orgId, params.id))
        return csvFile(`offers-${id}.csv`, templateOf(lines))
      }),
    )
