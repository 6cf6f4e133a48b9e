/** The organizations that an order names. */
interface OrderParties {
  consumerOrgId: string
  ipOwnerOrgId: string
  manufacturerOrgId: string
  sellerOrgId: string
  distributorOrgId?: string | undefined
}

/** The distinct organizations of an order, to which its assignment and case belong. */
export const partiesOfOrder = (order: OrderParties): string[] => {
  const { consumerOrgId, ipOwnerOrgId, manufacturerOrgId, sellerOrgId, distributorOrgId } = order
  const named = [consumerOrgId, ipOwnerOrgId, manufacturerOrgId, sellerOrgId, distributorOrgId]
  return [...new Set(named.filter((orgId) => orgId !== undefined))]
}
