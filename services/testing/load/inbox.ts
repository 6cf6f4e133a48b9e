import type { Owner } from './owner.ts'

interface InboxToLoad {
  orgId: string
  userId: string
  /** Items of each kind of record. */
  count: number
  /** Tells the records of several loads apart. */
  prefix: string
  /** Lines of each package. Undefined: the RFQs belong to none. */
  packageLines?: number
}

/** Inserts open tasks of an organization about RFQs that were cancelled afterwards. */
export async function loadEndedTasks(
  owner: Owner,
  { orgId, count, prefix }: Omit<InboxToLoad, 'userId'>,
): Promise<void> {
  await owner`
    insert into sourcing.rfqs (
      id, serial_number, part_id, part_title, owner_part_title, part_serial_number, consumer_org_id, ip_owner_org_id, state,
      terms, manufacturer_ids, expires_at, created_at, updated_at, published_at, version, part_revision)
    select ${prefix} || 'ended_' || n, 'R-' || ${prefix} || 'ended' || n, 'part_' || n, 'Impeller', 'Impeller', 'P-' || n, ${orgId},
      'org_owner', 'OPEN', '{"currency": "EUR", "deliveryRegionCode": "DK", "quantities": [10]}', '{org_maker}',
      now() + interval '30 days', now(), now(), now(), 1, 1
    from generate_series(1, ${count}::int) n`
  await owner`
    insert into sourcing.cases (id, kind, state, title, rfq_id, org_id, party_org_ids, follows_rfq, created_at, updated_at)
    select ${prefix} || 'ended_case_' || n, 'QUALITY', 'OPEN', 'Porosity', ${prefix} || 'ended_' || n, 'org_maker',
      array['org_maker', ${orgId}], false, now(), now()
    from generate_series(1, ${count}::int) n`
  await owner`
    insert into sourcing.subrecords (id, kind, parent_id, org_id, document)
    select ${prefix} || 'ended_task_' || n, 'task', ${prefix} || 'ended_case_' || n, 'org_maker',
      json_build_object('title', 'Report', 'assigneeOrgId', ${orgId}::text, 'state', 'OPEN',
        'updatedTime', sourcing.api_time(now()))::text
    from generate_series(1, ${count}::int) n`
  await owner`
    update sourcing.rfqs set state = 'CANCELLED', cancel_reason = 'Sold.', updated_at = now()
    where starts_with(id, ${prefix} || 'ended_')`
}

/**
 * Inserts open records of an organization in every role, for load tests: RFQs that are OPEN with offers, and CLOSED
 * with offers that are still submitted, invitations, orders in three states, files to release, cases with unread
 * messages, tasks of which half are of another user, expenses and requests for a subscription. The oldest ones have
 * questions, and parts that have changed.
 */
export async function loadInbox(
  owner: Owner,
  { orgId, userId, count, prefix, packageLines }: InboxToLoad,
): Promise<void> {
  const lines = packageLines ?? null
  if (packageLines !== undefined) {
    await owner`
      insert into sourcing.rfq_packages (id, consumer_org_id, title, currency, created_by, created_at, updated_at)
      select ${prefix} || 'package_' || kind || n, case kind when 'i' then 'org_buyer' else ${orgId} end, 'Overhaul ' || n, 'EUR',
        'user_buyer', now(), now()
      from unnest(array['o', 'c', 'i']) kind cross join generate_series(0, ${count}::int / ${packageLines}) n`
  }
  await owner`
    insert into sourcing.rfqs (
      id, serial_number, part_id, part_title, owner_part_title, part_serial_number, consumer_org_id, ip_owner_org_id, state,
      terms, manufacturer_ids, expires_at, created_at, updated_at, published_at, version, part_revision,
      unanswered_questions, unanswered_since, part_changed, part_changed_since, package_id, package_place)
    select ${prefix} || 'rfq_' || kind || lpad(n::text, 12, '0'), 'R-' || ${prefix} || kind || n, 'part_' || n, 'Impeller ' || n,
      'Impeller ' || n, 'P-' || n, case kind when 'i' then 'org_buyer' else ${orgId} end, 'org_owner',
      case kind when 'c' then 'CLOSED' else 'OPEN' end,
      '{"currency": "EUR", "deliveryRegionCode": "DK", "quantities": [10], "requiredDocuments": ["PHOTO"]}',
      array[case kind when 'i' then ${orgId} else 'org_maker' end], now() + interval '30 days', at, at, at, 1, 1,
      case when n <= 50 then 1 else 0 end, case when n <= 50 then at end, n <= 50, case when n <= 50 then at end,
      ${prefix} || 'package_' || kind || n / ${lines}::int, n % ${lines}::int
    from unnest(array['o', 'c', 'i']) kind cross join generate_series(1, ${count}::int) n
    cross join lateral (select now() - make_interval(secs => ${count} - n) as at) times`
  await owner`
    insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at, package_id)
    select id, unnest(manufacturer_ids), published_at, package_id from sourcing.rfqs where starts_with(id, ${prefix})`
  await owner`
    insert into sourcing.offers (
      id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id, state, currency, price_breaks,
      valid_until, revision, created_at, submitted_at, updated_at, rfq_version)
    select ${prefix} || 'offer_' || n || rfq.id, rfq.id, part_id, 'org_maker', consumer_org_id, ip_owner_org_id, 'factory_1',
      'SUBMITTED', 'EUR', '[{"minQuantity": 1, "unitPrice": "120.5", "leadTimeDays": 21}]', now() + interval '30 days', 1,
      created_at, created_at, created_at, 1
    from sourcing.rfqs rfq cross join generate_series(1, 2) n
    where starts_with(rfq.id, ${prefix}) and consumer_org_id = ${orgId}`
  await owner`
    insert into sourcing.orders (
      id, serial_number, rfq_id, offer_id, part_id, factory_id, consumer_org_id, ip_owner_org_id, manufacturer_org_id,
      seller_org_id, state, quantity, unit_price, total, currency, due_date, part_revision, created_at, updated_at)
    select ${prefix} || 'order_' || state || n, 'O-' || ${prefix} || state || n, ${prefix} || 'rfq_i' || lpad(n::text, 12, '0'),
      ${prefix} || 'offer_' || state || n, 'part_' || n, 'factory_1',
      case state when 'SHIPPED' then ${orgId} else 'org_buyer' end, 'org_owner',
      case state when 'SHIPPED' then 'org_maker' else ${orgId} end, 'org_maker', state, 10, 95, 950, 'EUR',
      current_date + 28, 1, at, at
    from unnest(array['PLACED', 'IN_PRODUCTION', 'SHIPPED']) state cross join generate_series(1, ${count}::int) n
    cross join lateral (select now() - make_interval(secs => ${count} - n) as at) times`
  await owner`
    insert into sourcing.orders (
      id, serial_number, rfq_id, offer_id, part_id, factory_id, consumer_org_id, ip_owner_org_id, manufacturer_org_id,
      seller_org_id, state, quantity, unit_price, total, currency, due_date, part_revision, created_at, updated_at)
    select ${prefix} || 'order_owned' || n, 'O-' || ${prefix} || 'owned' || n, ${prefix} || 'rfq_i' || lpad(n::text, 12, '0'),
      ${prefix} || 'offer_owned' || n, 'part_' || n, 'factory_1', 'org_buyer', ${orgId}, 'org_maker', 'org_maker',
      'CONFIRMED', 10, 95, 950, 'EUR', current_date + 28, 1, at, at
    from generate_series(1, ${count}::int) n
    cross join lateral (select now() - make_interval(secs => ${count} - n) as at) times`
  await owner`update sourcing.orders set has_ip_files = true where starts_with(id, ${prefix} || 'order_owned')`
  await owner`
    insert into sourcing.awaited_releases (rfq_id, org_id, ip_owner_org_id, since)
    select id, manufacturer, ${orgId}, created_at
    from sourcing.rfqs cross join unnest(array['org_maker', 'org_rival']) manufacturer
    where starts_with(id, ${prefix} || 'rfq_i')`
  await owner`
    insert into sourcing.cases (
      id, kind, state, title, org_id, party_org_ids, follows_rfq, created_at, updated_at)
    select ${prefix} || 'case_' || lpad(n::text, 12, '0'), 'QUALITY', 'OPEN', 'Porosity ' || n, 'org_buyer',
      array['org_buyer', ${orgId}], false, at, at
    from generate_series(1, ${count}::int) n
    cross join lateral (select now() - make_interval(secs => ${count} - n) as at) times`
  await owner`
    update sourcing.case_parties party set unread_count = 2, unread_since = created_at
    from sourcing.cases of where of.id = party.case_id and starts_with(of.id, ${prefix}) and party.org_id = ${orgId}`
  await owner`
    insert into sourcing.subrecords (id, kind, parent_id, org_id, document, assignee_user_id)
    select ${prefix} || kind || '_' || n, kind, ${prefix} || 'case_' || lpad(n::text, 12, '0'), 'org_buyer',
      json_build_object('title', 'Report ' || n, 'description', 'Freight ' || n, 'assigneeOrgId', ${orgId}::text,
        'state', case kind when 'task' then 'OPEN' else 'PROPOSED' end,
        'updatedTime', sourcing.api_time(now() - make_interval(secs => ${count} - n)))::text,
      case when kind = 'task' and n % 4 = 0 then ${userId} when kind = 'task' and n % 4 < 3 then 'user_other' end
    from unnest(array['task', 'expense']) kind cross join generate_series(1, ${count}::int) n`
  await owner`
    insert into sourcing.subscriptions (
      id, ip_owner_org_id, consumer_org_id, part_id, state, created_by_org_id, created_at, updated_at)
    select ${prefix} || 'subscription_' || n, ${orgId}, 'org_buyer', 'part_' || ${prefix} || n, 'REQUESTED', 'org_buyer', at, at
    from generate_series(1, ${count}::int) n
    cross join lateral (select now() - make_interval(secs => ${count} - n) as at) times`
  await owner.unsafe(
    'vacuum (analyze) sourcing.rfqs, sourcing.rfq_invitations, sourcing.offers, sourcing.orders, sourcing.cases, sourcing.case_parties, sourcing.case_work, sourcing.subrecords, sourcing.subscriptions, sourcing.awaited_releases',
  )
}
