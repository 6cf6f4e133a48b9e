import type {
  AssignmentContactInput,
  BillingDetailsInput,
  CaseExpenseInput,
  CaseInput,
  FactoryInput,
  OfferInput,
  OrderState,
  OrgRole,
  Part,
  PartInput,
  Permission,
  RfqInput,
  RfqPackageInput,
} from '../../../proto/clients/typescript/src/index.ts'
import cases from './story/cases.json'
import organizations from './story/organizations.json'
import packages from './story/packages.json'
import requests from './story/requests.json'

/**
 * An organization of the demo. A shipping company needs an impeller for a cooling water pump: Skagen Pumps owns the
 * drawings, three manufacturers can make the part, and casting takes too long.
 */
export interface DemoOrganization {
  key: string
  name: string
  roles: OrgRole[]
  regionCode: string
  /** The key of the distributor through which the organization is engaged. */
  distributor?: string
  /** The system roles of the member. */
  memberRoles: string[]
  people: { administrator: string; member: string; guest: string }
  /** Custom roles and the people who have them. `left` marks a former employee, whose account is deactivated. */
  staffRoles?: { name: string; permissions: Permission[] }[]
  colleagues?: { name: string; phone?: string; role: string; left?: boolean }[]
  /** The name of a service account, and its system role. */
  program?: { name: string; role: string }
  businessUnits?: string[]
  customFields?: { name: string; options: string[] }[]
  /** `customOption`: a custom field and the option that the part has. */
  parts?: { state: Part['state']; businessUnit?: string; customOption?: [string, string]; input: PartInput }[]
  factories?: FactoryInput[]
  /** Factories that the distributor releases, by name, to organizations, by key. */
  releases?: { factory: string; to: string }[]
}

/**
 * An RFQ with its offers and, where it is awarded, its order. Organizations have their keys, parts their references.
 */
export interface DemoRequest {
  consumer: string
  part: string
  manufacturers: string[]
  /** The manufacturers that read it, and those that decline with a reason. */
  readBy?: string[]
  declinedBy?: Record<string, string>
  /** The manufacturers that accept the confidentiality terms. */
  acceptedBy?: string[]
  /** `publishedText`: the question as all invitees read it, with its answer. */
  questions?: { by: string; text: string; answer?: string; publishedText?: string }[]
  terms: Pick<
    RfqInput,
    | 'quantities'
    | 'incoterm'
    | 'requirements'
    | 'sealed'
    | 'requestedDeliveryDate'
    | 'paymentTerms'
    | 'delivery'
    | 'requiredDocuments'
    | 'confidentialityTerms'
    | 'releaseFiles'
  >
  isPublished: boolean
  /** The conversation of the consumer with a manufacturer, the oldest message first. */
  messages?: { with: string; by: string; text: string }[]
  offers: DemoOffer[]
  /** After the offers, which it makes outdated. */
  amendment?: { quantities: number[]; reason: string }
  end?: 'close' | 'cancel'
  /** Its first offer is accepted. */
  order?: DemoOrder
}

export interface DemoOffer {
  manufacturer: string
  /** The name of the factory. */
  factory: string
  /** What leads to its state. A revision lowers the tooling cost and is submitted. */
  verbs: ('submit' | 'withdraw' | 'reject' | 'revise')[]
  /** Default: 90 days. */
  validSeconds?: number
  terms: Pick<OfferInput, 'priceBreaks' | 'toolingCost' | 'shippingCost' | 'notes'>
}

export interface DemoOrder {
  quantity: number
  seller?: string
  /** `by`: the organization, if it is not the manufacturer. */
  steps: { verb: string; by?: string; body?: object }[]
  /** What the manufacturer adds to the assignment. */
  assignment?: {
    contacts?: AssignmentContactInput[]
    billingDetails?: BillingDetailsInput[]
    /** An extension of the expected day of delivery. */
    extension?: { days: number; reason: string }
    archived?: boolean
  }
}

/** A case of the demo, beside those that its RFQs open. */
export interface DemoCase extends Pick<CaseInput, 'kind' | 'title' | 'description'> {
  by: string
  /** The case is about the organization's newest order in this state. */
  order?: OrderState
  /** Those of its organization, and of the consumer of the order. */
  messages?: { byConsumer?: boolean; text: string }[]
  /** `forConsumer`: the consumer of the order should do it. */
  tasks: { title: string; description?: string; completed?: boolean; forConsumer?: boolean; dueDate?: string }[]
  /** The consumer of the order decides. */
  expenses: {
    description: string
    amount: string
    incurredDate: CaseExpenseInput['incurredDate']
    decision?: 'approve' | 'reject'
  }[]
  verbs: ('close' | 'archive')[]
}

export const OPERATOR: DemoOrganization = organizations.operator as DemoOrganization
export const ORGANIZATIONS = organizations.organizations as DemoOrganization[]
/** One RFQ, offer and order in each state, the oldest first. */
export const REQUESTS = requests as DemoRequest[]
export const CASES = cases as DemoCase[]

/** Parts that are requested together. */
export interface DemoPackage {
  consumer: string
  title: string
  manufacturers: string[]
  terms: Partial<RfqPackageInput>
  /** By the external reference of the part. */
  lines: { part: string; quantities: number[] }[]
  offers: {
    manufacturer: string
    factory: string
    prices: { part: string; unitPrice: string; leadTimeDays: number }[]
  }[]
}

export const PACKAGES = packages as DemoPackage[]

const DOMAIN = 'example.com'

export const emailOf = (name: string, { key }: Pick<DemoOrganization, 'key'>) =>
  `${name.replace(' ', '.')}@${key}.${DOMAIN}`
    .toLowerCase()
    .replaceAll('ø', 'oe')
    .replaceAll('æ', 'ae')
    .replaceAll('å', 'aa')

export const websiteOf = ({ key }: Pick<DemoOrganization, 'key'>) => `https://${key}.${DOMAIN}`

export function personOf(name: string): { givenName: string; familyName: string } {
  const [givenName = '', familyName = ''] = name.split(' ')
  return { givenName, familyName }
}
