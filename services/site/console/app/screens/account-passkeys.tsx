import { at, command, market, type Passkey, patch, remove } from '../api.ts'
import { useList } from '../data.ts'
import { date } from '../format.ts'
import { me } from '../me.ts'
import { answerTo, hasPasskeys, newPasskey } from '../passkeys.ts'
import { t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Edit } from '../ui/edit.tsx'
import { Field, textOf } from '../ui/form.tsx'
import { type Column, ListTable } from '../ui/list.tsx'
import { Section } from '../ui/page.tsx'

const PATH = '/flows/v1/passkeys'

/** The password, or without one a passkey that the person has. */
async function proof(data: FormData, hasOne: boolean) {
  const currentPassword = String(data.get('currentPassword') ?? '')
  if (currentPassword !== '' || !hasOne) return { currentPassword }
  const { data: options } = await market.POST(`${PATH}/confirm`, {})
  return { assertion: await answerTo(options) }
}

async function add(data: FormData, hasOne: boolean): Promise<void> {
  const { data: options } = await market.POST(`${PATH}/start`, { body: await proof(data, hasOne) })
  const body = { name: textOf(data, 'name') ?? '', credential: await newPasskey(options) }
  await command(() => market.POST(PATH, { body }))
}

const PasskeyActions = ({ passkey: { id, name } }: { passkey: Passkey }) => (
  <div class="actions">
    <Edit
      label={t.passkeys.rename}
      of={name}
      submit={t.ui.save}
      when={!me.value?.impersonation}
      read={() => market.GET(`${PATH}/{id}`, at(id))}
      onRun={(data, headers) => patch(`${PATH}/{id}`, id, { name: textOf(data, 'name') ?? '' }, headers)}
    >
      {(present) => <Field name="name" label={t.passkeys.name} value={present.name} isFocused />}
    </Edit>
    <Action
      label={t.ui.remove}
      of={name}
      hint={t.passkeys.removeHint}
      when={!me.value?.impersonation}
      isDangerous
      onRun={() => remove(`${PATH}/{id}`, { id })}
    />
  </div>
)

const COLUMNS: readonly Column<Passkey>[] = [
  { label: t.passkeys.name, cell: ({ name }) => <strong>{name}</strong> },
  { label: t.passkeys.created, cell: ({ createdTime }) => date(createdTime) },
  {
    label: t.passkeys.lastUsed,
    cell: ({ lastUsedTime }) => (lastUsedTime ? date(lastUsedTime) : t.passkeys.neverUsed),
  },
  { label: t.ui.actions, cell: (passkey) => <PasskeyActions passkey={passkey} /> },
]

/** The passkeys of the person, who adds, renames and removes them. */
export function Passkeys() {
  const list = useList(PATH, { query: { pageSize: 50 } })
  const hasOne = (list.data?.length ?? 0) > 0
  return (
    <Section
      title={t.passkeys.title}
      actions={
        <Action
          label={t.passkeys.add}
          icon="key-round"
          hint={hasOne ? t.passkeys.addHintWithOne : t.passkeys.addHint}
          when={hasPasskeys && !me.value?.impersonation}
          onRun={(data) => add(data, hasOne)}
        >
          <Field name="name" label={t.passkeys.name} hint={t.passkeys.nameHint} isFocused />
          <Field
            name="currentPassword"
            label={t.account.current}
            type="password"
            autocomplete="current-password"
            isOptional={hasOne}
          />
        </Action>
      }
    >
      <p class="quiet">{hasPasskeys ? t.passkeys.what : t.passkeys.unknown}</p>
      <ListTable caption={t.passkeys.title} list={list} columns={COLUMNS} icon="key-round" empty={t.passkeys.empty} />
    </Section>
  )
}
