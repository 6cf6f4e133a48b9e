import { Type } from '@sinclair/typebox'
import { Id, OrgId, sameData } from './shapes.ts'

const partId = Id('part', 'The part.')
const ipOwnerOrgId = OrgId('The owner of the design.')
const consumerOrgId = OrgId('The organization that requested quotations.')
const manufacturerOrgId = OrgId('The organization that makes the part.')
const rfqId = Id('rfq', 'The RFQ.')
const offerId = Id('offer', 'The offer.')

const PartData = Type.Object({ partId, ipOwnerOrgId })

const PART_EVENTS = sameData(PartData, {
  'sourcing.part.created': 'A part was created.',
  'sourcing.part.updated': 'The content of a part changed.',
  'sourcing.part.published': 'A part was published.',
  'sourcing.part.archived': 'A part was archived.',
  'sourcing.part.unarchived': 'An archived part was published again.',
  'sourcing.part.deleted': 'A part was deleted.',
  'sourcing.part.filesChanged': 'Files of a part were added, removed or finished.',
})

const UploadData = Type.Object(
  { uploadId: Id('upload', 'The upload.'), orgId: OrgId('Its organization.') },
  { description: 'An upload was created.' },
)

const FactoryData = Type.Object({ factoryId: Id('factory', 'The factory.'), orgId: OrgId('Its organization.') })

const FACTORY_EVENTS = sameData(FactoryData, {
  'sourcing.factory.created': 'A factory was created.',
  'sourcing.factory.updated': 'The content of a factory changed.',
  'sourcing.factory.activated': 'A factory was activated.',
  'sourcing.factory.deactivated': 'A factory was deactivated.',
  'sourcing.factory.capabilitiesChanged': 'The capabilities of a factory were replaced.',
})

const ReleaseData = Type.Object({
  factoryId: Id('factory', 'The factory.'),
  orgId: OrgId('The organization that may source from the factory.'),
  distributorOrgId: OrgId('The distributor.'),
})

const FACTORY_RELEASE_EVENTS = sameData(ReleaseData, {
  'sourcing.factory.released': 'A distributor released a factory to an organization that is engaged through it.',
  'sourcing.factory.withdrawn': 'A distributor withdrew the release of a factory.',
})

const rfq = { rfqId, partId, consumerOrgId, ipOwnerOrgId }
const RfqData = Type.Object(rfq)

const RFQ_EVENTS = sameData(RfqData, {
  'sourcing.rfq.created': 'An RFQ was created.',
  'sourcing.rfq.updated': 'The content of a draft changed.',
  'sourcing.rfq.published': 'An RFQ was published, and its manufacturers were invited.',
  'sourcing.rfq.amended': 'An open RFQ was amended and has a new version.',
  'sourcing.rfq.partChanged': 'The part of an open RFQ has a later revision than the pinned one.',
  'sourcing.rfq.extended': 'The expiry of an RFQ was extended, also by an amendment of the expiry alone.',
  'sourcing.rfq.closed': 'An RFQ was closed or expired.',
  'sourcing.rfq.reopened': 'A closed RFQ was opened again.',
  'sourcing.rfq.awarded': 'An RFQ was awarded.',
  'sourcing.rfq.quantityMissing': 'An order of an award was declined or cancelled; others live.',
  'sourcing.rfq.returned': 'Every order of an award was declined or cancelled; the RFQ is CLOSED again.',
  'sourcing.rfq.reawarded': 'Missing pieces of an RFQ were placed again.',
  'sourcing.rfq.cancelled': 'An RFQ was cancelled.',
  'sourcing.rfq.deleted': 'A draft was deleted.',
  'sourcing.rfq.filesChanged': 'Documents of an RFQ were added, superseded, removed or finished.',
})

const SALES_AGREEMENT_EVENTS = sameData(
  Type.Object({
    salesAgreementId: Id('agreement', 'The agreement.'),
    manufacturerOrgId,
    sellerOrgId: OrgId('The organization that sells.'),
  }),
  {
    'sourcing.salesAgreement.proposed': 'An agreement was proposed. The event concerns the other organization.',
    'sourcing.salesAgreement.accepted':
      'An agreement was accepted. The event concerns the organization that proposed it.',
    'sourcing.salesAgreement.ended': 'An agreement or a proposal was ended. The event concerns the other organization.',
  },
)

const PACKAGE_EVENTS = sameData(Type.Object({ packageId: Id('package', 'The package.'), consumerOrgId }), {
  'sourcing.rfqPackage.created': 'A package of RFQs was created. Each of its RFQs has an event of its own.',
  'sourcing.rfqPackage.updated': 'The title of a package changed.',
  'sourcing.rfqPackage.deleted': 'A package was deleted, with its drafts.',
})

const InvitationData = Type.Object(
  {
    ...rfq,
    manufacturerOrgIds: Type.Array(manufacturerOrgId, {
      description: 'The newly invited manufacturers. Those of a publication are not repeated here.',
      examples: [['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB']],
    }),
  },
  { description: 'Manufacturers were added to an RFQ.' },
)

const EmailInvitationData = Type.Object(
  {
    ...rfq,
    emailInvitationIds: Type.Array(Id('emailInvitation', 'The invitation.'), {
      description: 'The new invitations by e-mail.',
      examples: [['emailInvitation_01JZ8Q4D3R1G5M7VJ0T6W2X9YB']],
    }),
  },
  { description: 'Addresses were invited to an RFQ by e-mail.' },
)

const EmailRedemptionData = Type.Object(
  {
    ...rfq,
    emailInvitationId: Id('emailInvitation', 'The invitation.'),
    orgId: OrgId('The organization that used the link.'),
  },
  { description: 'An organization used the link of an invitation by e-mail. The consumer confirms it.' },
)

const EmailRevocationData = Type.Object(
  { ...rfq, emailInvitationId: Id('emailInvitation', 'The invitation.') },
  { description: 'The consumer revoked an invitation by e-mail.' },
)

const DeclineData = Type.Object(
  { ...rfq, manufacturerOrgId },
  { description: 'A manufacturer declined an invitation.' },
)

const AcceptanceData = Type.Object(
  { ...rfq, manufacturerOrgId },
  { description: 'An invited manufacturer accepted the confidentiality terms.' },
)

const FileReleaseData = Type.Object({
  ...rfq,
  manufacturerOrgIds: Type.Array(manufacturerOrgId, {
    description: 'The manufacturers.',
    examples: [['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB']],
  }),
})

const FILE_RELEASE_EVENTS = sameData(FileReleaseData, {
  'sourcing.rfq.filesReleased': 'Files of the group `ip` were released to invited manufacturers for quoting.',
  'sourcing.rfq.filesWithdrawn': 'The IP owner withdrew files of the group `ip` from invited manufacturers.',
})
const QUESTION_EVENTS = sameData(
  Type.Object({ ...rfq, questionId: Id('question', 'The question.'), manufacturerOrgId: OrgId('Its asker.') }),
  {
    'sourcing.rfq.questionAsked': 'An invited manufacturer asked a question about an RFQ.',
    'sourcing.rfq.questionAnswered': 'A question was answered, to its asker or to every invitee.',
    'sourcing.rfq.questionDismissed': 'A question was dismissed, or its RFQ ended without an answer.',
  },
)

const ClarificationData = Type.Object(
  {
    ...rfq,
    clarificationId: Id('question', 'The clarification.'),
    answeredByOrgId: OrgId('The consumer or IP owner.'),
  },
  { description: 'The consumer or the IP owner told every invitee something about an RFQ.' },
)

const SUBSCRIPTION_EVENTS = sameData(
  Type.Object({
    subscriptionId: Id('subscription', 'The subscription.'),
    ipOwnerOrgId,
    consumerOrgId: OrgId('The organization that may source the parts.'),
    partId: Type.Optional(Id('part', 'The part; absent for all parts of the IP owner.')),
  }),
  {
    'sourcing.subscription.requested': 'A consumer requested a subscription. The event concerns the IP owner.',
    'sourcing.subscription.granted': 'An IP owner granted a subscription. The event concerns the consumer.',
    'sourcing.subscription.accepted': 'A request was accepted. The event concerns the consumer.',
    'sourcing.subscription.declined': 'A request was declined. The event concerns the consumer.',
    'sourcing.subscription.ended':
      'An organization ended a subscription, or its part was deleted. The event concerns the other organization.',
    'sourcing.subscription.expired': 'A subscription expired. Each of its organizations has an event.',
  },
)

const RequirementsData = Type.Object(
  {
    ipOwnerOrgId,
    parts: Type.Integer({ description: 'Number of its parts that were changed.', examples: [3] }),
  },
  { description: 'The requirement of a subscription was removed from parts, because it had had no effect before.' },
)

const offer = { offerId, rfqId, partId, manufacturerOrgId, consumerOrgId, ipOwnerOrgId }
const OfferData = Type.Object(offer)

/** No event of an offer has a price. */
const OFFER_EVENTS = sameData(OfferData, {
  'sourcing.offer.created': 'An offer was drafted.',
  'sourcing.offer.updated': 'The draft of an offer changed.',
  'sourcing.offer.submitted': 'An offer was submitted.',
  'sourcing.offer.reconfirmed': 'An outdated offer was reconfirmed for the amended RFQ.',
  'sourcing.offer.reinstatementAsked': 'An order of the award was lost, and an offer that had lost is asked for again.',
  'sourcing.offer.reinstated': 'The manufacturer reinstated an offer.',
  'sourcing.offer.accepted': 'An offer was awarded.',
  'sourcing.offer.rejected': 'An offer was rejected, or another one was awarded, or the RFQ was cancelled.',
  'sourcing.offer.withdrawn': 'An offer was withdrawn.',
  'sourcing.offer.expired': 'The validity of an offer ended.',
  'sourcing.offer.superseded': 'A revision of the offer was submitted.',
  'sourcing.offer.filesChanged': 'Documents of an offer were added, superseded, removed or finished.',
})

const RevisionData = Type.Object(
  { ...offer, previousOfferId: Id('offer', 'The offer that the revision supersedes when it is submitted.') },
  { description: 'A revision of an offer was drafted.' },
)

const OrderData = Type.Object({
  orderId: Id('order', 'The order.'),
  rfqId,
  offerId,
  partId,
  factoryId: Id('factory', 'The factory.'),
  consumerOrgId,
  ipOwnerOrgId,
  manufacturerOrgId,
  sellerOrgId: OrgId('The organization that sells the part.'),
  distributorOrgId: Type.Optional(OrgId('The distributor of the consumer, if it has one.')),
})

const ORDER_EVENTS = sameData(OrderData, {
  'sourcing.order.placed': 'An award placed an order.',
  'sourcing.order.confirmed': 'The manufacturer confirmed an order.',
  'sourcing.order.declined': 'The manufacturer declined an order.',
  'sourcing.order.started': 'Production began.',
  'sourcing.order.inspected': 'The inspection began.',
  'sourcing.order.reworked': 'The order returned to production.',
  'sourcing.order.shipmentCreated': 'Some pieces of the order were shipped.',
  'sourcing.order.shipped': 'The last piece of the order was shipped.',
  'sourcing.order.shipmentReceived': 'The consumer received a shipment.',
  'sourcing.order.delivered': 'Everything has arrived.',
  'sourcing.order.remakeProposed': 'The manufacturer proposed to make rejected pieces again.',
  'sourcing.order.remakeAccepted': 'The consumer accepted a remake; the order returned to production.',
  'sourcing.order.remakeDeclined': 'The consumer declined a remake.',
  'sourcing.order.completed': 'The order was completed.',
  'sourcing.order.cancelled': 'The consumer cancelled an order, or both sides agreed to cancel it.',
  'sourcing.order.changeProposed': 'Consumer or manufacturer proposed to change the order.',
  'sourcing.order.changed': 'A change request was accepted.',
  'sourcing.order.changeDeclined': 'A change request was declined.',
  'sourcing.order.changeWithdrawn': 'A change request was withdrawn.',
  'sourcing.order.held': 'The order was put on hold.',
  'sourcing.order.resumed': 'The order continued after a hold.',
  'sourcing.order.milestonesChanged': 'The milestones of an order were replaced.',
  'sourcing.order.filesReleased': 'The IP owner released the files of the group `ip` to the manufacturer.',
  'sourcing.order.filesChanged': 'Documents of an order were added, superseded, removed or finished.',
})

export const SOURCING_EVENTS = {
  ...PART_EVENTS,
  'sourcing.upload.created': UploadData,
  ...FACTORY_EVENTS,
  ...FACTORY_RELEASE_EVENTS,
  ...RFQ_EVENTS,
  ...PACKAGE_EVENTS,
  'sourcing.rfq.invited': InvitationData,
  'sourcing.rfq.emailInvited': EmailInvitationData,
  'sourcing.rfq.emailInvitationRedeemed': EmailRedemptionData,
  'sourcing.rfq.emailInvitationRevoked': EmailRevocationData,
  'sourcing.rfq.declined': DeclineData,
  'sourcing.rfq.termsAccepted': AcceptanceData,
  ...FILE_RELEASE_EVENTS,
  ...QUESTION_EVENTS,
  ...SUBSCRIPTION_EVENTS,
  'sourcing.subscription.requirementsCleared': RequirementsData,
  'sourcing.rfq.clarified': ClarificationData,
  ...SALES_AGREEMENT_EVENTS,
  ...OFFER_EVENTS,
  'sourcing.offer.revised': RevisionData,
  ...ORDER_EVENTS,
}
