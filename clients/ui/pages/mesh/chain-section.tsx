import type { Schemas } from '../../../typescript/typed/index.js'
import { useEffect, useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { Button, Refusal, Select } from '../../design/index.js'
import { useAction } from '../../session/use-action.js'
import { useBlockingQuery } from '../../session/use-response.js'
import { send } from '../send.js'
import type { Chain } from './chain.js'
import { ChainPicture } from './chain-picture.js'

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

interface OverrideFieldProps {
  readonly label: string
  readonly example: string
  readonly value: string
  readonly change: (value: string) => void
}

const OverrideField = ({ label, example, value, change }: OverrideFieldProps) => (
  <label>
    {label}{' '}
    <input
      size={8}
      placeholder={example}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value.trim())}
    />
  </label>
)

export const ChainSection = ({ service, query }: { readonly service: string; readonly query: Query }) => {
  const path = `/v1/discovery-chain/${encodeURIComponent(service)}`
  const live = useBlockingQuery<Compiled>(path, query)
  const [overrides, setOverrides] = useState(NONE)
  const [compiled, setCompiled] = useState<Chain>()
  const { failure, run } = useAction()
  const isOverridden = Object.values(overrides).some(value => value !== '')
  const set = (name: keyof Overrides) => (value: string) => setOverrides({ ...overrides, [name]: value })
  // A change of the chain compiles it again with the same overrides.
  useEffect(() => {
    setCompiled(undefined)
    if (!isOverridden) return undefined
    let isWanted = true
    run(async () => {
      const { datacenter } = overrides
      const answer = await send('POST', path, {
        query: { ...query, 'compile-dc': datacenter || undefined },
        body: bodyOf(overrides)
      })
      const { Chain: found } = await answer.json<Compiled>()
      if (isWanted) setCompiled(found)
    })
    return () => {
      isWanted = false
    }
  }, [overrides, live.value])
  return (
    <section aria-label="Discovery chain" class="chain">
      <form class="choices" onSubmit={event => event.preventDefault()}>
        <Select label="Protocol" options={PROTOCOLS} value={overrides.protocol} change={set('protocol')} />
        <OverrideField
          label="Connect timeout"
          example="10s"
          value={overrides.timeout}
          change={set('timeout')}
        />
        <Select label="Mesh gateway" options={GATEWAYS} value={overrides.gateway} change={set('gateway')} />
        <OverrideField
          label="For datacenter"
          example="dc2"
          value={overrides.datacenter}
          change={set('datacenter')}
        />
        {isOverridden && <Button label="As configured" act={() => setOverrides(NONE)} />}
      </form>
      <Refusal text={live.failure ?? (isOverridden ? failure : undefined)} />
      {isOverridden && compiled && (
        <>
          <p role="status">
            {compiled.CustomizationHash === undefined
              ? 'Compiled with these parameters; the overrides have no effect.'
              : 'Compiled with these parameters.'}
          </p>
          <ChainPicture chain={compiled} title={`Discovery chain of ${service}, with overrides`} />
        </>
      )}
      {!isOverridden && live.value && (
        <ChainPicture chain={live.value.Chain} title={`Discovery chain of ${service}`} />
      )}
    </section>
  )
}
