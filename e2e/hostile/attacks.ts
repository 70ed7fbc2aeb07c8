import { crossedAnswers, smuggledRequest } from './01-smuggled-request.ts';
import { harvestedToken } from './02-harvested-token.ts';
import { exhaustRevisions, stopPresence, stopStatuses } from './03-status-of-one-fleetlet.ts';
import { previewObjects, quotedRefusals } from './04-previewed-objects.ts';
import { previewSecrets } from './04-previewed-secrets.ts';
import { quadraticYaml } from './05-quadratic-yaml.ts';
import { costlyHealthRule } from './06-health-rule-cost.ts';
import { revokedStreams } from './07-revoked-streams.ts';
import { largeFirstFrames, silentHandshakes, silentStreams, slowBodies } from './08-before-authentication.ts';
import { anyUser, identityOfTheAgent } from './09-rights-of-the-agent.ts';
import { quotedAnswer, reachedInside } from './10-server-side-requests.ts';
import { undoneLogout } from './11-undone-logout.ts';
import { approvesOwnContent, removesTheGate } from './12-four-eyes.ts';
import { movesWorkspaceOut } from './13-moved-out.ts';
import { readTemplateSecrets } from './14-secrets-in-templates.ts';
import { endlessTexts } from './15-endless-texts.ts';
import { wrongTokens } from './16-wrong-tokens.ts';
import { unrecordedSecretReads } from './17-secret-reads.ts';
import { readSecretFiles } from './18-readable-secret-files.ts';
import { rewritesTheAudit } from './19-rewritten-audit.ts';
import { namedTarget, unseenGuess } from './21-existence-oracles.ts';
import { copiedKey } from './22-copied-key.ts';
import { dotSegments } from './22-dot-segments.ts';
import { replayedAnswer } from './22-narrowed-token.ts';
import { openMetrics } from './22-open-metrics.ts';
import { backToPlainHttp } from './22-plain-http.ts';
import { tokenElsewhere } from './23-token-elsewhere.ts';
import type { Attack } from './attack.ts';

/** All attacks, in the order of their findings. */
export const ATTACKS: readonly Attack[] = [
  smuggledRequest,
  crossedAnswers,
  harvestedToken,
  stopStatuses,
  stopPresence,
  exhaustRevisions,
  previewSecrets,
  previewObjects,
  quotedRefusals,
  quadraticYaml,
  costlyHealthRule,
  revokedStreams,
  silentStreams,
  largeFirstFrames,
  silentHandshakes,
  slowBodies,
  anyUser,
  identityOfTheAgent,
  reachedInside,
  quotedAnswer,
  undoneLogout,
  approvesOwnContent,
  removesTheGate,
  movesWorkspaceOut,
  readTemplateSecrets,
  endlessTexts,
  wrongTokens,
  unrecordedSecretReads,
  readSecretFiles,
  rewritesTheAudit,
  unseenGuess,
  namedTarget,
  copiedKey,
  dotSegments,
  replayedAnswer,
  openMetrics,
  backToPlainHttp,
  tokenElsewhere,
];
