import type { Schemas } from '../../../typescript/typed/index.js'
import type { Query } from '../../../typescript/connection.js'
import { Button, Field, fieldOf, Select, SubmitForm } from '../../design/index.js'
import { useBlockingQuery, useResult } from '../../session/use-response.js'
import { type Chain, ChainPicture } from './chain-picture.js'
import { sendJson } from '../send.js'
import { useDraft } from '../../session/draft.js'

type Compiled = Schemas['ChainAnswer']

/** Parameters of the compilation; empty for those of the configuration entries. */
interface Overrides {
  readonly datacenter: string
  readonly protocol: string
  readonly timeout: string
  readonly gateway: string
}

const NONE: Overrides = { datacenter: '', protocol: '', timeout: '', gateway: '' }
const AS_CONFIGURED = ['', 'as configured'] as const
const PROTOCOLS = [AS_CONFIGURED, 'tcp', 'http', 'http2', 'grpc'] as const
const GATEWAYS = [AS_CONFIGURED, 'none', 'local', 'remote'] as const

/** The body of a compilation with overrides. */
const bodyOf = ({ protocol, timeout, gateway }: Overrides): object => ({
  OverrideProtocol: protocol || undefined,
  OverrideConnectTimeout: timeout || undefined,
  OverrideMeshGateway: gateway === '' ? undefined : { Mode: gateway }
})

export const ChainSection = ({ service, query }: { readonly service: string; readonly query: Query }) => {
  const path = `/v1/discovery-chain/${encodeURIComponent(service)}`
  const live = useBlockingQuery<Compiled>(path, query)
  const draft = useDraft(NONE, 0)
  const overrides = draft.value
  const isOverridden = Object.values(overrides).some(value => value !== '')
  const compile = async (signal: AbortSignal): Promise<Chain | undefined> => {
    if (!isOverridden) return undefined
    const { Chain } = await sendJson<Compiled>('POST', path, {
      query: { ...query, 'compile-dc': overrides.datacenter || undefined },
      body: bodyOf(overrides),
      signal
    })
    return Chain
  }
  // A change of the chain compiles it again with the same overrides.
  const compiled = useResult(compile, [overrides, live.value])
  return (
    <section aria-label="Discovery chain" class="chain">
      <SubmitForm class="choices" failure={live.failure ?? compiled.failure} submit={() => {}}>
        <Select label="Protocol" options={PROTOCOLS} {...fieldOf(draft, 'protocol')} />
        <Field
          label="Connect timeout"
          placeholder="10s"
          isLazy
          {...fieldOf(draft, 'timeout')}
          name="OverrideConnectTimeout"
        />
        <Select label="Mesh gateway" options={GATEWAYS} {...fieldOf(draft, 'gateway')} />
        <Field label="For datacenter" placeholder="dc2" isLazy {...fieldOf(draft, 'datacenter')} />
        {isOverridden && <Button label="As configured" act={draft.discard} />}
      </SubmitForm>
      {isOverridden && compiled.value && (
        <>
          <p role="status">
            {compiled.value.CustomizationHash === undefined
              ? 'Compiled with these parameters; the overrides have no effect.'
              : 'Compiled with these parameters.'}
          </p>
          <ChainPicture chain={compiled.value} title={`Discovery chain of ${service}, with overrides`} />
        </>
      )}
      {!isOverridden && live.value && (
        <ChainPicture chain={live.value.Chain} title={`Discovery chain of ${service}`} />
      )}
    </section>
  )
}
