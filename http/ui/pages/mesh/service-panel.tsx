// A service besides its instance: the checks of all instances, and where requests to it go.
import { Refusal } from '../../parts/refusal.js'
import { useAnswer } from '../../session/use-answer.js'
import { fieldsOf } from '../../things/kind.js'
import type { PanelProps } from '../thing/panel.js'
import type { Chain } from './chain-layout.js'
import { ChainPicture } from './chain-picture.js'

interface Check {
  readonly Node: string
  readonly CheckID: string
  readonly Name: string
  readonly Status: string
  readonly Output: string
  readonly ServiceID: string
}

export const ServicePanel = ({ newest, named, turn }: PanelProps) => {
  const { ServiceName } = fieldsOf(newest.Payload ?? {})
  const service = encodeURIComponent(String(ServiceName))
  const { ns, partition } = named
  const checks = useAnswer<readonly Check[]>(`/v1/health/checks/${service}`, { ns, partition }, turn)
  const found = useAnswer<{ readonly Chain: Chain }>(
    `/v1/discovery-chain/${service}`,
    { ns, partition },
    turn
  )
  return (
    <>
      <section aria-label="Checks">
        <h2>Checks of {String(ServiceName)}</h2>
        <Refusal text={checks.failure} />
        {checks.value?.length === 0 && <p role="status">It has none.</p>}
        {checks.value && checks.value.length > 0 && (
          <table>
            <thead>
              <tr>
                <th>Status</th>
                <th>Check</th>
                <th>Instance</th>
                <th>Output</th>
              </tr>
            </thead>
            <tbody>
              {checks.value.map(({ Node, CheckID, Name, Status, Output, ServiceID }) => (
                <tr key={`${Node} ${CheckID}`}>
                  <td class={Status === 'passing' ? '' : 'refused'}>{Status}</td>
                  <td>{Name}</td>
                  <td>
                    {ServiceID} on {Node}
                  </td>
                  <td>
                    <pre>{Output}</pre>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <section aria-label="Discovery chain">
        <h2>Discovery chain</h2>
        <Refusal text={found.failure} />
        {found.value && <ChainPicture chain={found.value.Chain} title="Discovery chain" />}
      </section>
    </>
  )
}
