// Makes the events of nodes.
import { NODE_TOPIC, nodePayload, type NodeEvent, type NodeState } from '../../events/node.js'
import { makeEvent } from '../make-event.js'

/** Nodes have no namespace; their key is their ID, or the name of one without. */
export const nodeEvent = (type: NodeEvent['Type'], state: NodeState): NodeEvent => ({
  ...makeEvent({
    Topic: NODE_TOPIC,
    Type: type,
    Key: state.node.ID || state.node.Node,
    FilterKeys: [state.node.Node],
    Payload: { Node: nodePayload(state) }
  }),
  Partition: state.partition
})
