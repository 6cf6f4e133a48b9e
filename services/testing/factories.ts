import type { CapabilityInput, Factory } from '../../proto/http/sourcing/factories.ts'
import type { FactoryInput } from '../../proto/http/sourcing/factory-administration.ts'
import { type ApiClient, succeeded } from './client.ts'

/** A capability of a laser powder bed fusion machine. */
export const PRINTS_STEEL: CapabilityInput = { materialCode: '316l', technologyId: 'pbf-lb-m' }

/** Creates a factory of the client's organization, in Bergen unless the input says otherwise. */
export async function createFactory(client: ApiClient, input: Partial<FactoryInput> = {}): Promise<Factory> {
  const body = {
    name: 'Bergen Works',
    address: { regionCode: 'NO', locality: 'Bergen', lines: ['Damsgårdsveien 165'] },
    capabilities: [PRINTS_STEEL],
    ...input,
  }
  return succeeded(client.post<Factory>('/flows/v1/factories', body))
}
