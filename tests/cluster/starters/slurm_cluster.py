"""A Slurm of one node on loopback: munged, slurmctld and slurmd of the distribution, with files and ports of their own.

Jobs in the partition `high` preempt jobs in `low`, which are requeued. Times are short: the tests wait for them.
"""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "scancel")
WHERE = ":/usr/sbin:/sbin"
GRACE_S = 20

SETTINGS = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/{tracking}
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait={grace}
GresTypes=gpu
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cores} Gres=gpu:1 State=UNKNOWN
PartitionName=low Nodes=node1 Default=YES PriorityTier=1 GraceTime={grace} MaxTime=30
PartitionName=high Nodes=node1 PriorityTier=2 PreemptMode=OFF MaxTime=30
"""


def missing_programs() -> list[str]:
    """Returns the programs of Slurm and MUNGE that this machine lacks."""
    return [name for name in PROGRAMS if not shutil.which(name, path=os.environ["PATH"] + WHERE)]


def free_ports(count: int) -> list[int]:
    """Returns different ports of loopback that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def wait_for(condition: Callable[[], object], limit_s: float = 120) -> object:
    """Asks until the condition is true, and returns its value; TimeoutError after the limit.

    Slurm reports neither a node that became idle nor a job's state to anyone who waits: squeue and scontrol have to be asked.
    """
    end = time.monotonic() + limit_s
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"not within {limit_s} s: {condition}")
        time.sleep(0.1)
    return value


class SlurmCluster:
    """The three daemons as children of this process. `stop` ends them by their ids and removes their files.

    `tracking` decides which processes of a task get its signals: `pgid` the daemon alone, as control groups do; `linuxproc` its
    helpers, too.
    """

    def __init__(self, tracking: str = "pgid") -> None:
        self.tracking = tracking
        self.folder = Path(tempfile.mkdtemp(prefix="kevolve-slurm-"))
        self.cores = len(os.sched_getaffinity(0))
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": os.environ["PATH"] + WHERE}
        self.daemons: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Returns when jobs can run; TimeoutError with the logs otherwise."""
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(64))
        key.chmod(0o400)
        controller, node = free_ports(2)
        (self.folder / "slurm.conf").write_text(SETTINGS.format(
            host=socket.gethostname().split(".")[0], user=getpass.getuser(), folder=self.folder, controller_port=controller,
            node_port=node, cores=self.cores, grace=GRACE_S, tracking=self.tracking))
        # Slurm hands out this file as if it were a GPU.
        (self.folder / "gres.conf").write_text("Name=gpu File=/dev/null\n")
        self._daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.sock",
                     f"--pid-file={self.folder}/munged.pid", f"--seed-file={self.folder}/munge.seed")
        wait_for((self.folder / "munge.sock").exists)
        self._daemon("slurmctld", "-D")
        self._daemon("slurmd", "-D", "-N", "node1")
        try:
            wait_for(lambda: "State=IDLE" in self.ask("scontrol", "show", "node", "node1"), 60)
        except TimeoutError as error:
            raise TimeoutError(self.logs()) from error

    def stop(self) -> None:
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, *words: str, **more: str) -> str:
        """Returns the output of a command of Slurm; an empty text if it fails."""
        done = subprocess.run(words, capture_output=True, text=True, check=False, env={**self.environment, **more})
        return done.stdout if done.returncode == 0 else ""

    def submit(self, *words: str, **more: str) -> str:
        """Returns the number of a new job. `words` are those of sbatch; `more` is its environment."""
        done = subprocess.run(["sbatch", "--parsable", *words], capture_output=True, text=True, check=False,
                              env={**self.environment, **more})
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def job(self, number: str) -> dict[str, str]:
        """Returns the fields of `scontrol show job`."""
        words = self.ask("scontrol", "--oneliner", "show", "job", number).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def run_through(self, *words: str) -> None:
        """Runs a job to its end."""
        number = self.submit(*words)
        wait_for(lambda: self.job(number)["JobState"] == "COMPLETED")

    def cancel(self, number: str) -> None:
        """Cancels a job and waits until nothing of it is left on the node."""
        self.ask("scancel", number)
        wait_for(lambda: not self.ask("squeue", "--noheader", "--jobs", number).strip())

    def logs(self) -> str:
        """Returns the last lines of each daemon."""
        return "\n".join(f"{log.name}:\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:])
                         for log in sorted(self.folder.glob("*.log")))

    def _daemon(self, name: str, *words: str) -> None:
        program = shutil.which(name, path=self.environment["PATH"])
        with (self.folder / f"{name}.log").open("wb") as log:
            self.daemons.append(subprocess.Popen([str(program), *words], env=self.environment, stdin=subprocess.DEVNULL,
                                                 stdout=log, stderr=subprocess.STDOUT))
