import { useState } from 'preact/hooks'
import { ZERO_TIME } from '../../../../events/time.js'
import {
  Button,
  Badge,
  ConfirmButton,
  Dialog,
  Field,
  formatRelativeTime,
  linksTo,
  RelativeTime,
  Select,
  Who
} from '../../design/index.js'
import { useResponse } from '../../session/use-response.js'
import type { Sending } from '../../../typescript/connection.js'
import type { ComponentChildren } from 'preact'
import { textOf } from '../../resources/kind.js'
import { formView } from '../resource/form-view.js'
import type { PanelProps } from '../resource/resource-view.js'
import { pathOf, type Target, sendJson } from '../send.js'
import type { Schemas } from '../../../typescript/typed/index.js'
import { NewSecret, TokenForm } from './forms/token-form.js'
import { PermissionsPanel } from './permissions-panel.js'
import { usageTab } from './usage-tab.js'
import { identitiesOf } from '../../resources/access-kinds.js'

const WEEK_MS = 7 * 86_400_000

interface ActionProps {
  readonly target: Target
  readonly name: string
}

const GRACE = [
  ['0s', 'not at all'],
  ['10m', '10 minutes'],
  ['1h', '1 hour'],
  ['24h', '1 day'],
  ['168h', '7 days']
] as const

interface ReplaceProps extends ActionProps {
  /** The last segment of the path, and the verb of the label. */
  readonly verb: 'rotate' | 'clone'
  readonly isReplaced?: boolean
  readonly write: Pick<Sending, 'query' | 'body'>
  readonly children: ComponentChildren
}

/** Creates a token from this one. The dialog with its secret stays open after this token was replaced. */
const NewToken = ({ target, name, verb, isReplaced = false, write, children }: ReplaceProps) => {
  const [created, setCreated] = useState<Schemas['Token']>()
  const label = verb === 'rotate' ? 'Rotate token' : 'Clone token'
  const close = (): void => setCreated(undefined)
  const create = async (reason: string): Promise<void> => {
    const sending = { ...write, query: { ...target.place, ...write.query }, reason }
    setCreated(await sendJson<Schemas['Token']>('PUT', `${pathOf(target)}/${verb}`, sending))
  }
  return (
    <>
      <ConfirmButton
        label={label}
        title={`${label} ${name}${verb === 'rotate' ? '?' : ''}`}
        disabled={isReplaced}
        action={create}
        isHarmless
      >
        {children}
      </ConfirmButton>
      <Dialog title={`Token ${verb}d`} isOpen={created !== undefined} close={close}>
        {created && <NewSecret token={created} />}
        <footer>
          <Button label="Close" act={close} />
        </footer>
      </Dialog>
    </>
  )
}

const Rotate = ({ isReplaced, ...action }: ActionProps & { readonly isReplaced: boolean }) => {
  const [grace, setGrace] = useState('10m')
  return (
    <NewToken {...action} verb="rotate" isReplaced={isReplaced} write={{ query: { grace } }}>
      <p>A new token with the same permissions replaces this one, with a new accessor ID and secret.</p>
      <Select label="The old secret stays valid for" options={GRACE} value={grace} change={setGrace} />
    </NewToken>
  )
}

const Clone = (action: ActionProps) => {
  const [Description, setDescription] = useState(`Clone of ${action.name}`)
  return (
    <NewToken {...action} verb="clone" write={{ body: { Description } }}>
      <Field label="Description of the clone" value={Description} change={setDescription} />
    </NewToken>
  )
}

const PATH = '/v1/acl/token'

const NewTokenForm = ({ target }: { readonly target: Target }) => {
  const [created, setCreated] = useState<Schemas['Token']>()
  return created ? (
    <NewSecret token={created} />
  ) : (
    <TokenForm target={target} stored={undefined} done={setCreated} />
  )
}

const targetOf = ({ id, place }: Pick<PanelProps, 'id' | 'place'>) => ({ path: PATH, id, place })

/** Events do not contain it. */
const LastUsed = (panel: Pick<PanelProps, 'id' | 'place'>) => {
  const { value } = useResponse<Schemas['Token']>(pathOf(targetOf(panel)), panel.place)
  if (!value) return <>…</>
  return value.LastUsed ? <RelativeTime at={value.LastUsed} isShort /> : <>never</>
}

const tokenLink = (accessor: unknown) => typeof accessor === 'string' && <Who accessor={accessor} />

const timeOf = (at: unknown, without: string) =>
  typeof at === 'string' && at !== ZERO_TIME ? <RelativeTime at={at} isShort /> : without

export const tokenView = formView<Schemas['Token']>({
  what: 'token',
  Form: TokenForm,
  Usage: usageTab('token'),
  New: NewTokenForm,
  status: ({ ExpirationTime }) =>
    typeof ExpirationTime === 'string' && Date.parse(ExpirationTime) - Date.now() < WEEK_MS ? (
      <Badge tone="warn">expires {formatRelativeTime(Date.parse(ExpirationTime), Date.now())}</Badge>
    ) : null,
  summary: (fields, place) => [
    ['Policies', linksTo('policies', fields['Policies'])],
    ['Roles', linksTo('roles', fields['Roles'])],
    ['Identities', identitiesOf(fields)],
    ['Last used', <LastUsed id={textOf(fields['AccessorID'])} place={place} />],
    ['Expires', timeOf(fields['ExpirationTime'], 'never')],
    ['Scope', fields['Local'] === true ? 'this datacenter' : 'all datacenters'],
    ['Login', textOf(fields['AuthMethod'])],
    ['Specification', textOf(fields['Specification'])],
    ['Replaces', tokenLink(fields['RotatedFrom'])],
    ['Replaced by', tokenLink(fields['RotatedTo'])],
    ['Created', timeOf(fields['CreateTime'], 'with the log')],
    ['Accessor ID', textOf(fields['AccessorID'])]
  ],
  Actions: ({ fields: { Description, AuthMethod, RotatedTo }, ...panel }) => {
    const action = { target: targetOf(panel), name: textOf(Description) || panel.id }
    if (AuthMethod) return null
    return (
      <>
        <Rotate {...action} isReplaced={Boolean(RotatedTo)} />
        <Clone {...action} />
      </>
    )
  },
  consequence: 'Requests with it are denied afterwards.',
  Permissions: PermissionsPanel
})
