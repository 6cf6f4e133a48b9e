import { FACTORY } from '../../../../../proto/states/factories.ts'
import { type Capability, type CapabilityInput, command, type Factory, ifMatch, market, post } from '../api.ts'
import { labelIn, materials, orNone, standards, technologies } from '../catalogs.ts'
import { useRecord } from '../data.ts'
import { region } from '../format.ts'
import { can, mayUse, orgId, permits } from '../me.ts'
import { t } from '../texts.ts'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { Action } from '../ui/dialog.tsx'
import { Field, textOf } from '../ui/form.tsx'
import { Badge, Facts, Page, Section } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { FactoryFields, factoryContentOf } from './factories.tsx'

const at = (id: string) => ({ params: { path: { id } } })

/** A capability without what the marketplace derives. */
const inputOf = ({ processType: _, ...input }: Capability): CapabilityInput => input

/** What the factory can make: a material with a technology, and the standards that it fulfils. */
function Capabilities({ factory }: { factory: Factory }) {
  const isOwn = factory.orgId === orgId.value && permits('POST /flows/v1/factories/{id}/capabilities')
  const inputs = factory.capabilities.map(inputOf)
  const replace = (capabilities: CapabilityInput[]) =>
    post('/flows/v1/factories/{id}/capabilities', factory.id, { capabilities })
  const add = (data: FormData) =>
    replace([
      ...inputs,
      {
        materialCode: textOf(data, 'materialCode') ?? '',
        technologyId: textOf(data, 'technologyId') ?? '',
        standardCodes: chosenIn(data, 'standardCodes'),
      },
    ])
  return (
    <Section
      title={t.factories.capabilities}
      actions={
        <Action
          label={t.ui.add}
          when={isOwn}
          onRun={add}
          form={{ pathOf: (field) => field.replace(`capabilities.${inputs.length}.`, '') }}
        >
          <Field name="materialCode" label={t.parts.material} options={orNone(materials())} />
          <Field name="technologyId" label={t.factories.technology} options={orNone(technologies())} />
          <Choices name="standardCodes" label={t.factories.standards} options={standards()} />
        </Action>
      }
    >
      {inputs.length === 0 ? (
        <Empty>{t.factories.noCapabilities}</Empty>
      ) : (
        <ul class="items">
          {factory.capabilities.map(({ materialCode, technologyId, standardCodes }, index) => (
            <li key={`${index} ${materialCode}`}>
              <span>
                {labelIn(materials(), materialCode)} · {labelIn(technologies(), technologyId)}
                <br />
                <small class="quiet">{standardCodes.map((code) => labelIn(standards(), code)).join(', ')}</small>
              </span>
              <Action
                label={t.ui.remove}
                when={isOwn}
                isDangerous
                onRun={() => replace(inputs.filter((_, other) => other !== index))}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function Steps({ factory }: { factory: Factory }) {
  const { id } = factory
  const record = { ...factory, state: factory.active ? ('ACTIVE' as const) : ('INACTIVE' as const) }
  const patch = async (data: FormData) => {
    const { response } = await market.GET('/v1/factories/{id}', at(id))
    const options = { ...at(id), headers: ifMatch(response), body: factoryContentOf(data) }
    await command(() => market.PATCH('/flows/v1/factories/{id}', options))
  }
  return (
    <>
      {(['deactivate', 'activate'] as const).map((verb) => (
        <Action
          key={verb}
          label={t.factories.verbs[verb]}
          when={mayUse(FACTORY, verb, record)}
          onRun={() => post(`/flows/v1/factories/{id}/${verb}`, id)}
        />
      ))}
      <Action
        label={t.verbs.patch}
        when={factory.orgId === orgId.value && permits('PATCH /flows/v1/factories/{id}')}
        onRun={patch}
      >
        <FactoryFields factory={factory} />
      </Action>
    </>
  )
}

export function FactoryScreen({ id = '' }: { id?: string }) {
  const read = useRecord('/v1/factories/{id}', { path: { id } })
  return (
    <Shown read={read}>
      {(factory) => (
        <Page
          title={factory.name}
          over={
            <>
              {can('app:consumer', 'app:manufacturer') ? (
                <a href="/console/factories">{t.nav.factories}</a>
              ) : (
                <a href="/console/releases">{t.nav.releases}</a>
              )}{' '}
              · {factory.orgName}
            </>
          }
          badge={<Badge of="active" state={factory.active ? 'ACTIVE' : 'INACTIVE'} />}
          actions={<Steps factory={factory} />}
        >
          <div class="beside">
            <Capabilities factory={factory} />
            <Section title={t.factories.place}>
              <Facts
                of={[
                  [t.assignment.lines, factory.address.lines.join('\n')],
                  [
                    t.assignment.locality,
                    [factory.address.postalCode, factory.address.locality].filter(Boolean).join(' '),
                  ],
                  [t.assignment.country, region(factory.address.regionCode)],
                  [t.factories.internal, factory.internal && t.ui.yes],
                ]}
              />
            </Section>
          </div>
        </Page>
      )}
    </Shown>
  )
}
