import { describeHealth, type HealthRow } from '../../testing/health-rows.ts';
import { conditions, live } from '../../testing/live-object.ts';

const GADGET = 'example.io/v1/Gadget';
const CUSTOM: readonly HealthRow[] = [
  { why: 'nobody speaks for it', object: live(GADGET, {}), want: 'Applied NoStatus' },
  { why: 'its status has no verdict', object: live(GADGET, { status: { size: 3 } }), want: 'Applied NoVerdict' },
  {
    why: 'it is ready',
    object: live(GADGET, { status: { conditions: conditions('Ready=True') } }),
    want: 'Available ',
  },
  {
    why: 'it is ready, as of old',
    object: live(GADGET, { status: { observedGeneration: 1, conditions: conditions('Ready=True') } }),
    want: 'Progressing NotObserved',
  },
  {
    why: 'it was ready, the condition says of when',
    object: live(GADGET, { status: { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] } }),
    want: 'Progressing NotObserved',
  },
  {
    why: 'it is not ready',
    object: live(GADGET, {
      status: { observedGeneration: 2, conditions: conditions('Ready=False Creating takes a while') },
    }),
    want: 'Progressing Creating',
  },
  {
    why: 'it may be ready',
    object: live(GADGET, { status: { conditions: conditions('Available=Unknown') } }),
    want: 'Progressing NotAvailable',
  },
  {
    why: 'Ready counts before Accepted',
    object: live(GADGET, { status: { conditions: conditions('Accepted=True', 'Ready=False') } }),
    want: 'Progressing NotReady',
  },
  {
    why: 'it stalled',
    object: live(GADGET, { status: { conditions: conditions('Ready=True', 'Stalled=True BadSpec no such size') } }),
    want: 'Degraded BadSpec',
  },
  {
    why: 'it is not degraded',
    object: live(GADGET, { status: { conditions: conditions('Degraded=False', 'Available=True') } }),
    want: 'Available ',
  },
  {
    why: 'it is busy',
    object: live(GADGET, { status: { conditions: conditions('Progressing=True') } }),
    want: 'Progressing Progressing',
  },
  {
    why: 'a kind of the server that has a status and no conditions',
    object: live('v1/ResourceQuota', { status: { used: {} } }),
    want: 'Available ',
  },
];

describeHealth('objects with conditions', CUSTOM);
