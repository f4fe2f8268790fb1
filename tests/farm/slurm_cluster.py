"""A Slurm of a few nodes on this one host, with a key, ports and folders of its own; needs root, and no systemd."""

import os
import shutil
import signal
import socket
import subprocess
import time

DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch")


def missing():
    """Why there can be no cluster here; "" if there can."""
    if os.geteuid() != 0:
        return "only root can start a Slurm"
    absent = [name for name in DAEMONS if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None]
    return f"not installed: {', '.join(absent)}" if absent else ""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


CONFIGURATION = """
ClusterName=firn
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=0
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
JobAcctGatherType=jobacct_gather/none
PropagateResourceLimits=NONE
ReturnToService=2
# A dead node is noticed soon.
SlurmdTimeout={timeout}
KillWait=5
MinJobAge=600
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port={ports} CPUs=1 RealMemory=100 State=UNKNOWN
PartitionName=all Nodes=n[1-{nodes}] Default=YES MaxTime=60 State=UP OverSubscribe=NO
"""


class Cluster:
    """Starts in its constructor; stop() ends all that it started."""

    def __init__(self, folder, nodes=3, timeout=10):
        self.folder = folder
        self.processes = {}
        os.chmod(folder, 0o755)
        for name in ("state", *(f"spool.n{k}" for k in range(1, nodes + 1))):
            os.mkdir(os.path.join(folder, name))
        # slurmctld wants the nodes' ports in a row.
        for _ in range(50):
            first = free_ports(1)[0]
            ports = list(range(first, first + nodes + 1))
            if first + nodes < 65535 and all(self.is_free(port) for port in ports):
                break
        host = socket.gethostname().split(".")[0]
        configuration = os.path.join(folder, "slurm.conf")
        with open(configuration, "w") as file:
            file.write(CONFIGURATION.format(folder=folder, host=host, controller_port=ports[0], nodes=nodes,
                                            ports=f"[{ports[1]}-{ports[-1]}]", timeout=timeout))
        # No cgroup may be written in a container, and no node needs one here.
        with open(os.path.join(folder, "cgroup.conf"), "w") as file:
            file.write("CgroupPlugin=autodetect\n")
        self.environment = dict(os.environ, SLURM_CONF=configuration,
                                PATH=os.environ["PATH"] + ":/usr/sbin:/sbin", FIRN_PROGRAM=os.environ["FIRN"])
        try:
            self.start_munge()
            self.start("slurmctld", ["slurmctld", "-D", "-c"])
            for node in range(1, nodes + 1):
                self.start_node(f"n{node}")
            self.wait_for(lambda: self.nodes().count("idle") == nodes, 60, "nodes did not come up")
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def is_free(port):
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                return False
        return True

    def start_munge(self):
        key = os.path.join(self.folder, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(1024))
        self.start("munged", ["munged", "--foreground", "--force", "--num-threads=2", f"--key-file={key}",
                              f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munge.pid",
                              f"--log-file={self.folder}/munge.log", f"--seed-file={self.folder}/munge.seed"])
        self.wait_for(lambda: os.path.exists(f"{self.folder}/munge.socket"), 20, "munged did not start")

    def start(self, name, command, **more):
        log = open(os.path.join(self.folder, f"{name}.out"), "ab")
        with log:
            self.processes[name] = subprocess.Popen(command, env=dict(self.environment, **more), stdout=log,
                                                    stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

    def start_node(self, node):
        self.start(node, ["slurmd", "-D", "-N", node], FIRN_TEST_NODE=self.mark(node))

    def mark(self, node):
        """In the environment of all that belongs to a node; no process but ours has it."""
        return f"{self.folder}/{node}"

    def processes_of(self, node):
        """slurmd, its slurmstepds, and the jobs: whatever a machine that fails would take with it."""
        marks = {f"FIRN_TEST_NODE={self.mark(node)}".encode()}
        job = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={self.environment['SLURM_CONF']}".encode()}
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    environment = set(file.read().split(b"\0"))
            except OSError:
                continue
            if marks & environment or job <= environment:
                found.append(int(name))
        return found

    def kill_node(self, node):
        """As if its power failed."""
        while True:
            victims = self.processes_of(node)
            for process in victims:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if node in self.processes:
                self.processes.pop(node).wait()
            if not victims:
                return
            time.sleep(0.05)

    def run(self, *command, **options):
        return subprocess.run(command, env=self.environment, check=True, timeout=60, text=True,
                              stdout=subprocess.PIPE, **options).stdout

    def ask(self, *command):
        """A question that may be asked again: on a full machine the controller does not always answer."""
        for _ in range(5):
            try:
                return self.run(*command)
            except subprocess.CalledProcessError:
                time.sleep(1)
        return self.run(*command)

    def nodes(self):
        """The state of each."""
        return self.ask("sinfo", "-h", "-N", "-o", "%T").split()

    def queue(self):
        """(job, state, reason) of what waits or runs, array tasks one by one."""
        return [tuple(line.split("|")) for line in self.ask("squeue", "-h", "-r", "-o", "%i|%T|%r").splitlines()]

    def running_on(self, node):
        return self.ask("squeue", "-h", "-r", "-t", "RUNNING", "-w", node, "-o", "%i").split()

    @staticmethod
    def wait_for(condition, seconds, otherwise):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                raise TimeoutError(otherwise)
            time.sleep(0.2)

    def stop(self):
        nodes = [name for name in self.processes if name not in ("munged", "slurmctld")]
        for node in nodes:
            self.kill_node(node)
        for name in ("slurmctld", "munged"):
            if name in self.processes:
                process = self.processes.pop(name)
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
