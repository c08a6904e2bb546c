// Reminds everybody whose invoice is a month late, the longest first, for as long
// as the mail server takes letters.

const late = (await billing.overdue(30)).sort((a, b) => b.days - a.days);
let sent = 0;
try {
  for (const invoice of late) {
    await mail.send({ to: invoice.to, subject: `Invoice ${invoice.number} is ${invoice.days} days late` });
    sent++;
  }
} catch (refusal) {
  // Whatever cannot be helped by waiting is not ours to handle.
  if (!refusal.retryable) throw refusal;
  console.log(`${refusal.code}: ${refusal.message} (${refusal.details.perMinute} a minute)`);
  return { sent, left: late.slice(sent).map((i) => i.number), tryAgainInMs: refusal.details.retryAfterMs };
}
return { sent, left: [], tryAgainInMs: 0 };
