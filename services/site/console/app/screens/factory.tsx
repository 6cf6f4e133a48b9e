import { FACTORY } from '../../../../../proto/states/factories.ts'
import { at, type Capability, type CapabilityInput, type Factory, market, patch, post } from '../api.ts'
import { labelIn, materials, orNone, standards, technologies } from '../catalogs.ts'
import { useRecord } from '../data.ts'
import { region } from '../format.ts'
import { can, mayUse, orgId, permits } from '../me.ts'
import { t } from '../texts.ts'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { Action } from '../ui/dialog.tsx'
import { Edit } from '../ui/edit.tsx'
import { Field, textOf } from '../ui/form.tsx'
import { Badge, Facts, Page, Section } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { SupplierFacts } from '../ui/supplier-figures.tsx'
import { FactoryFields, factoryContentOf } from './factories.tsx'

const readOf = (id: string) => () => market.GET('/v1/factories/{id}', at(id))

/** A capability without what the marketplace derives. */
const inputOf = ({ processType: _, ...input }: Capability): CapabilityInput => input

const nameOf = ({ materialCode, technologyId }: Capability) =>
  `${labelIn(materials(), materialCode)} · ${labelIn(technologies(), technologyId)}`

/** What the factory can make: a material with a technology, and the standards that it fulfils. */
function Capabilities({ factory }: { factory: Factory }) {
  const isOwn = factory.orgId === orgId.value && permits('POST /flows/v1/factories/{id}/capabilities')
  const replace = (capabilities: CapabilityInput[], unchanged: { 'If-Match': string }) =>
    post('/flows/v1/factories/{id}/capabilities', factory.id, { capabilities }, unchanged)
  const add = (data: FormData, unchanged: { 'If-Match': string }, present: Factory) => {
    const added = [
      ...present.capabilities.map(inputOf),
      {
        materialCode: textOf(data, 'materialCode') ?? '',
        technologyId: textOf(data, 'technologyId') ?? '',
        standardCodes: chosenIn(data, 'standardCodes'),
      },
    ]
    return replace(added, unchanged)
  }
  const remove = (one: Capability) => (_: FormData, unchanged: { 'If-Match': string }, present: Factory) => {
    const removed = JSON.stringify(one)
    const kept = present.capabilities.filter((other) => JSON.stringify(other) !== removed)
    return replace(kept.map(inputOf), unchanged)
  }
  return (
    <Section
      title={t.factories.capabilities}
      actions={
        <Edit
          label={t.ui.add}
          of={t.factories.capability}
          when={isOwn}
          read={readOf(factory.id)}
          onRun={add}
          form={{ pathOf: (field) => field.replace(/^capabilities\.\d+\./, '') }}
        >
          {() => (
            <>
              <Field name="materialCode" label={t.parts.material} options={orNone(materials())} />
              <Field name="technologyId" label={t.factories.technology} options={orNone(technologies())} />
              <Choices name="standardCodes" label={t.factories.standards} options={standards()} />
            </>
          )}
        </Edit>
      }
    >
      {factory.capabilities.length === 0 ? (
        <Empty>{t.factories.noCapabilities}</Empty>
      ) : (
        <ul class="items">
          {factory.capabilities.map((one) => (
            <li key={JSON.stringify(one)}>
              <span>
                {nameOf(one)}
                <br />
                <small class="quiet">{one.standardCodes.map((code) => labelIn(standards(), code)).join(', ')}</small>
              </span>
              <Edit
                label={t.ui.remove}
                of={nameOf(one)}
                when={isOwn}
                isDangerous
                read={readOf(factory.id)}
                onRun={remove(one)}
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
      <Edit
        label={t.verbs.patch}
        of={factory.name}
        submit={t.ui.save}
        when={factory.orgId === orgId.value && permits('PATCH /flows/v1/factories/{id}')}
        read={readOf(id)}
        onRun={(data, headers) => patch('/flows/v1/factories/{id}', id, factoryContentOf(data), headers)}
      >
        {(present) => <FactoryFields factory={present} />}
      </Edit>
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
          picture={<Picture kind="factory" url={pictureOf(factory)} alt="" size="large" />}
          badge={<Badge of="active" state={factory.active ? 'ACTIVE' : 'INACTIVE'} />}
          actions={<Steps factory={factory} />}
        >
          <div class="beside">
            <Capabilities factory={factory} />
            <div class="stack">
              {factory.orgId !== orgId.value && <SupplierFacts id={factory.orgId} />}
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
          </div>
        </Page>
      )}
    </Shown>
  )
}
